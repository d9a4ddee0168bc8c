import type { Call, CallResult } from '../http/call.ts'
import { jittered, wait } from '../http/retry.ts'
import { TransactionFailedError } from '../errors.ts'
import { fromBase64, toBase64 } from '../program/bytes.ts'
import type { Instruction } from '../program/instruction.ts'
import type { Signer } from '../signers/signer.ts'
import { checkTransaction, UnexpectedTransactionError } from './check.ts'

/** The status record of a transaction. */
export type Transaction = CallResult<'getTransaction'>

export interface SendOptions {
  /** The priority fee: a percentile of recent fees. `medium` by default. */
  readonly priority?: 'low' | 'medium' | 'high'
  /** The gateway pays the network fee. See the guide of sponsored registration for its rules. */
  readonly sponsored?: boolean
  readonly signal?: AbortSignal
}

export interface FlowSettings {
  /** The most that a wallet may pay as priority fee for one transaction, in lamports. */
  readonly maxPriorityFeeLamports: bigint
  /** How long to wait for the outcome after the submission, in milliseconds. */
  readonly confirmTimeoutMs: number
}

export interface Sponsorship {
  readonly inviteCode: string
  /** The payer in the instruction. */
  readonly feePayer: string
}

const FIRST_POLL_MS = 500
const MAX_POLL_MS = 2_000

/**
 * Prepares a transaction, checks that it holds only the instructions, lets the wallet sign it,
 * submits it and waits for its outcome.
 */
export async function sendInstructions(
  call: Call,
  settings: FlowSettings,
  request: {
    readonly instructions: readonly Instruction[]
    readonly signer: Signer
    readonly sponsorship?: Sponsorship
  } & SendOptions,
): Promise<Transaction> {
  const { instructions, signer, sponsorship, sponsored = false, signal } = request
  const options = signal === undefined ? {} : { signal }
  const json = instructions.map(({ data, keys, ...rest }) => ({
    ...rest,
    keys: keys.map((key) => ({ ...key })),
    data: toBase64(data),
  }))
  const registration = sponsorship && { signerPubkey: signer.address, inviteCode: sponsorship.inviteCode }
  const body = {
    instructions: json,
    signerPubkeys: [signer.address],
    priorityLevel: request.priority ?? 'medium',
  }
  const prepared =
    registration !== undefined
      ? await call('registerSponsored', { body: { instructions: json, ...registration } }, options)
      : await call(sponsored ? 'prepareSponsoredTransaction' : 'prepareTransaction', { body }, options)

  const bytes = fromBase64(prepared.serializedTx)
  const sponsor = sponsorship?.feePayer ?? prepared.feePayer
  if (sponsored && sponsor === signer.address)
    throw new UnexpectedTransactionError('The gateway does not sponsor this transaction')
  checkTransaction(bytes, {
    instructions,
    signer: signer.address,
    feePayer: registration !== undefined || sponsored ? sponsor : signer.address,
    maxPriorityFeeLamports: settings.maxPriorityFeeLamports,
  })
  const signedTx = toBase64(await signer.signTransaction(bytes))

  const { id } = prepared
  const sent =
    registration !== undefined
      ? await call('submitSponsoredRegistration', { body: { id, signedTx, ...registration } }, options)
      : await call('submitTransaction', { body: { id, signedTx } }, options)
  return waitForOutcome(call, sent, settings.confirmTimeoutMs, signal)
}

/**
 * Reads the status until it is `confirmed`. Throws TransactionFailedError if it is `failed`, or if
 * the time is over; then read it later with `transactions.get`.
 */
export async function waitForOutcome(
  call: Call,
  first: Transaction,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<Transaction> {
  const end = Date.now() + timeoutMs
  let record = first
  for (let delay = FIRST_POLL_MS; record.status !== 'confirmed'; delay = Math.min(delay * 1.5, MAX_POLL_MS)) {
    const { id, signature, error } = record
    if (record.status === 'failed')
      throw new TransactionFailedError(
        id,
        signature,
        error ?? { code: 'unknown', message: 'no reason given' },
      )
    if (Date.now() > end)
      throw new TransactionFailedError(id, signature, {
        code: 'timeout',
        message: 'its outcome is not known yet',
      })
    await wait(jittered(delay), signal)
    record = await call('getTransaction', { path: { id } }, signal === undefined ? {} : { signal })
  }
  return record
}
