import {
  MAX_V1_TRANSACTION_BYTES,
  parseTransaction,
  VERSION_0,
  WireError,
  type WireTransaction,
} from '@agent-registry/solana'
import { DomainError, isDomainError } from '../domain/errors.ts'
import { pubkeyParameter, requiredText } from '../domain/parameters.ts'
import { countOutcome } from '../platform/metrics/metrics.ts'
import { decodeBase64 } from './check-request.ts'
import { sponsorContext, type TransactionsContext } from './context.ts'
import { countersign, sponsoredWallet } from './countersign.ts'
import { inviteCodeHash } from './invite-codes.ts'
import { mapLedgerError } from './ledger-state.ts'
import { matchesPrepared, preparedMessage, wrongSigner } from './match.ts'
import { sendStored } from './tracker.ts'
import { EXPIRED, toRecord, type TransactionRecord, type TransactionRow } from './transaction-store.ts'

export interface SubmitInput {
  readonly id?: string | null
  /** base64. The fee payer's signature of a sponsored transaction is zeros. */
  readonly signedTx?: string | null
}

export interface SubmitRegistrationInput extends SubmitInput {
  readonly signerPubkey?: string | null
  readonly inviteCode?: string | null
}

/** The longest delay until a write of another process is seen, in milliseconds. */
const REREAD_MS = 500

/**
 * Stores a signed transaction, sends it, and waits `submitWaitMs` for its outcome. The same message
 * again returns the same record and is not sent again. A sponsored one is signed by the fee payer,
 * and counts for the client that submits it. Throws SUBMISSION_FIELDS_REQUIRED,
 * TRANSACTION_NOT_FOUND, SPONSORED_REGISTRATION, and what `accept` throws.
 */
export async function submit({ id, signedTx }: SubmitInput, clientIp: string, context: TransactionsContext) {
  if (typeof id !== 'string' || typeof signedTx !== 'string')
    throw new DomainError('SUBMISSION_FIELDS_REQUIRED')
  const row = await context.store.get(id)
  if (row.sponsored) {
    sponsorContext(context)
    if (row.inviteCodeHash !== null) throw new DomainError('SPONSORED_REGISTRATION')
  }
  await accept(row, signedTx, clientIp, context)
  return waitForOutcome(id, context)
}

/**
 * The same for a sponsored registration, with the wallet and the invite code of its preparation.
 * Throws FIELD_REQUIRED, NOT_A_REGISTRATION, REGISTRATION_MISMATCH as well.
 */
export async function submitRegistration(
  input: SubmitRegistrationInput,
  clientIp: string,
  context: TransactionsContext,
): Promise<TransactionRecord> {
  const { store } = sponsorContext(context)
  const id = requiredText('id', input.id)
  const signedTx = requiredText('signedTx', input.signedTx)
  const wallet = pubkeyParameter('signerPubkey', requiredText('signerPubkey', input.signerPubkey))
  const codeHash = inviteCodeHash(requiredText('inviteCode', input.inviteCode))
  const row = await store.get(id)
  if (!row.sponsored || row.inviteCodeHash === null) throw new DomainError('NOT_A_REGISTRATION')
  if (sponsoredWallet(row) !== wallet || row.inviteCodeHash !== codeHash)
    throw new DomainError('REGISTRATION_MISMATCH')
  await accept(row, signedTx, clientIp, context)
  return waitForOutcome(id, context)
}

/**
 * Throws TRANSACTION_EXPIRED, INVALID_SIGNED_TRANSACTION, TRANSACTION_VERSION_UNSUPPORTED,
 * TRANSACTION_MISMATCH, INVALID_SIGNATURE, and what `countersign` throws.
 */
async function accept(
  row: TransactionRow,
  signedTx: string,
  clientIp: string,
  context: TransactionsContext,
): Promise<void> {
  const { store } = context
  const transaction = readSignedTransaction(signedTx)
  if (row.signedTx !== null) return checkSameMessage(row.signedTx, transaction)
  if (row.status === 'failed') {
    if (row.error?.code === EXPIRED.code) throw new DomainError('TRANSACTION_EXPIRED')
    return undefined
  }
  const stored = await checkAndStore(row, { signedTx, transaction }, clientIp, context).catch(
    async (error: unknown) => {
      if ((await store.get(row.id)).version === row.version) throw error
      return null
    },
  )
  // Another process wrote first: it submitted the same transaction, or marked it as expired.
  if (stored === null) return accept(await store.get(row.id), signedTx, clientIp, context)
  if (stored.status !== 'submitted') return undefined
  await sendStored(stored, context)
  context.wakeTracker()
}

/** Longer than what is accepted, so that the reason for refusing version 1 is its version. */
const MAX_TEXT = 4 * Math.ceil(MAX_V1_TRANSACTION_BYTES / 3)

/** Throws TRANSACTION_VERSION_UNSUPPORTED, and INVALID_SIGNED_TRANSACTION with the reason. */
function readSignedTransaction(text: string): WireTransaction {
  if (text.length > MAX_TEXT) throw invalid(`longer than ${MAX_TEXT} characters of base64`)
  const bytes = decodeBase64(text)
  if (bytes === null) throw invalid('not base64 with padding')
  // The first byte of newer versions is more. Before them, it is the number of signatures.
  const [first = 0] = bytes
  if (first > VERSION_0)
    throw new DomainError('TRANSACTION_VERSION_UNSUPPORTED', { version: first - VERSION_0 })
  try {
    return parseTransaction(bytes)
  } catch (error) {
    if (error instanceof WireError) throw invalid(error.message)
    throw error
  }
}

function invalid(message: string): DomainError {
  return new DomainError('INVALID_SIGNED_TRANSACTION', {}, { addition: { message } })
}

/** Null if another process has written the row since it was read. */
async function checkAndStore(
  row: TransactionRow,
  { signedTx, transaction }: { signedTx: string; transaction: WireTransaction },
  clientIp: string,
  context: TransactionsContext,
): Promise<TransactionRow | null> {
  const { store, clock, timing } = context
  if (!matchesPrepared(preparedMessage(row), transaction.message))
    throw new DomainError('TRANSACTION_MISMATCH')
  // The fee payer of a sponsored transaction is its first signer, and signs last.
  const key = wrongSigner(transaction, row.sponsored ? 1 : 0)
  if (key !== null) throw new DomainError('INVALID_SIGNATURE', { key })
  await checkNotExpired(row, context)
  if (row.sponsored) {
    const sponsored = sponsorContext(context)
    const signed = countersign(row, transaction, clientIp, sponsored)
    return countOutcome(context.counters.sponsoredRequests, 'countersign', signed)
  }
  return store.update(row, {
    status: 'submitted',
    signedTx,
    signature: transaction.signature,
    nextCheckAt: new Date(clock.now() + timing.leaseMs).toISOString(),
  })
}

/** Another message, for example with other assertions, could land beside the first one. */
function checkSameMessage(stored: string, transaction: WireTransaction): void {
  const known = parseTransaction(Buffer.from(stored, 'base64'))
  if (Buffer.compare(known.messageBytes, transaction.messageBytes) !== 0)
    throw new DomainError('TRANSACTION_MISMATCH')
}

async function checkNotExpired(row: TransactionRow, { head }: TransactionsContext): Promise<void> {
  try {
    const { blockHeight } = await mapLedgerError(head.get())
    if (blockHeight > row.lastValidBlockHeight) throw new DomainError('TRANSACTION_EXPIRED')
  } catch (error) {
    // While no node responds, submits are stored. They are sent when a node responds.
    if (!isDomainError(error, 'LEDGER_UNAVAILABLE')) throw error
  }
}

async function waitForOutcome(id: string, context: TransactionsContext): Promise<TransactionRecord> {
  const { store, updates, clock, submitWaitMs } = context
  const deadline = clock.now() + submitWaitMs
  for (;;) {
    const row = await store.get(id)
    const remainingMs = deadline - clock.now()
    if (row.status === 'confirmed' || row.status === 'failed' || remainingMs <= 0) return toRecord(row)
    await updates.next(id, Math.min(remainingMs, REREAD_MS))
  }
}
