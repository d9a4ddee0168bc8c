import { encodeBase58, fromBase64, toBase64 } from '@agent-registry/solana/wire'
import type { Call } from '../http/call.ts'
import type { Instruction } from '../program/instruction.ts'
import type { Signer } from '../signers/signer.ts'
import { checkTransaction, UnexpectedTransactionError } from './check.ts'
import { signatureAt } from './message.ts'
import {
  findOutcome,
  type OutcomeSettings,
  type SendProgress,
  type Transaction,
  type UnfinishedTransaction,
} from './outcome.ts'

export interface SendOptions {
  /** The priority fee: a percentile of recent fees. `medium` by default. */
  readonly priority?: 'low' | 'medium' | 'high'
  /** The gateway pays the network fee. See the guide of sponsored registration for its rules. */
  readonly sponsored?: boolean
  /** Before the wallet has signed it cancels. After that it throws OutcomeUnknownError. */
  readonly signal?: AbortSignal
  /** Called before the wallet is asked. Above this block height, it can no longer land. */
  readonly onPrepared?: (prepared: { readonly id: string; readonly lastValidBlockHeight: number }) => void
  /**
   * Called after the wallet signed and before anything is sent, to store what `resume` needs. If it
   * throws, nothing is sent.
   */
  readonly onSigned?: (transaction: UnfinishedTransaction) => void | Promise<void>
  readonly onProgress?: (state: SendProgress) => void
}

interface FlowSettings extends OutcomeSettings {
  /** The most that a wallet may pay as priority fee for one transaction, in lamports. */
  readonly maxPriorityFeeLamports: bigint
}

export interface Sponsorship {
  readonly inviteCode: string
  /** The payer in the instruction. */
  readonly feePayer: string
}

/**
 * Prepares a transaction, checks that it holds only the instructions, lets the wallet sign it,
 * submits it and waits for its outcome. Errors before the signature mean that nothing was sent.
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
  const { id, lastValidBlockHeight } = prepared
  request.onPrepared?.({ id, lastValidBlockHeight })
  const signed = await signer.signTransaction(bytes)
  signal?.throwIfAborted()
  const unfinished: UnfinishedTransaction = {
    id,
    signedTx: toBase64(signed),
    signature: firstSignature(signed),
    lastValidBlockHeight,
    ...(registration && { registration }),
  }
  await request.onSigned?.(unfinished)
  return findOutcome(call, settings, unfinished, { ...request, isNew: true })
}

/** Null if it is zeros: the fee payer has not signed. */
function firstSignature(transaction: Uint8Array): string | null {
  const signature = signatureAt(transaction, 0)
  return signature.every((byte) => byte === 0) ? null : encodeBase58(signature)
}
