import { parseMessage, parseTransaction, type WireTransaction } from '@agent-registry/solana'
import { DomainError, isDomainError } from '../domain/errors.ts'
import type { RelayContext } from './context.ts'
import { mapLedgerError } from './map-ledger-error.ts'
import { matchesPrepared } from './match.ts'
import { toRecord, type TransactionRecord, type TransactionRow } from './record.ts'
import { sendStored } from './send.ts'
import { checkSignatures, readSignedTransaction } from './signed-transaction.ts'

export interface SubmitInput {
  readonly id?: string | null
  /** base64. */
  readonly signedTx?: string | null
}

/** Throws if the transaction must be submitted to another endpoint. */
export type Authorize = (row: TransactionRow) => void

/** The longest delay until a write of another process is seen, in milliseconds. */
const REREAD_MS = 500

/**
 * Stores a signed transaction, sends it, and waits `submitWaitMs` for its outcome. The same message
 * again returns the same record and is not sent again. A sponsored one counts for the client that
 * submits it. Throws TRANSACTION_NOT_FOUND,
 * TRANSACTION_EXPIRED, INVALID_SIGNED_TRANSACTION, TRANSACTION_VERSION_UNSUPPORTED,
 * TRANSACTION_MISMATCH, INVALID_SIGNATURE.
 */
export async function submit(
  { id, signedTx }: SubmitInput,
  clientIp: string,
  context: RelayContext,
  authorize: Authorize = (row) => {
    if (row.sponsored) context.sponsor.authorize(row)
  },
): Promise<TransactionRecord> {
  if (typeof id !== 'string' || typeof signedTx !== 'string')
    throw new DomainError('SUBMISSION_FIELDS_REQUIRED')
  const row = await context.store.get(id)
  authorize(row)
  await accept(row, signedTx, clientIp, context)
  return waitForOutcome(id, context)
}

async function accept(
  row: TransactionRow,
  signedTx: string,
  clientIp: string,
  context: RelayContext,
): Promise<void> {
  const { store, clock, timing, sponsor } = context
  const transaction = readSignedTransaction(signedTx)
  if (row.signed_tx !== null) return checkSameMessage(row.signed_tx, transaction)
  if (row.status === 'failed') throw new DomainError('TRANSACTION_EXPIRED')
  const prepared = parseMessage(Buffer.from(row.message, 'base64'))
  if (!matchesPrepared(prepared, transaction.message)) throw new DomainError('TRANSACTION_MISMATCH')
  // The fee payer of a sponsored transaction is its first signer, and signs last.
  checkSignatures(transaction, row.sponsored ? 1 : 0)
  await checkNotExpired(row, context)

  const stored = row.sponsored
    ? await sponsor.countersign(row, transaction, clientIp)
    : await store.update(row, {
        status: 'submitted',
        signed_tx: signedTx,
        signature: transaction.signature,
        next_check_at: new Date(clock.now() + timing.leaseMs).toISOString(),
      })
  // Another process wrote first: it submitted the same transaction, or marked it as expired.
  if (stored === null) return accept(await store.get(row.id), signedTx, clientIp, context)
  if (stored.status !== 'submitted') return undefined
  await sendStored(stored, context)
  context.wakeTracker()
}

/** Another message, for example with other assertions, could land beside the first one. */
function checkSameMessage(stored: string, transaction: WireTransaction): void {
  const known = parseTransaction(Buffer.from(stored, 'base64'))
  if (Buffer.compare(known.messageBytes, transaction.messageBytes) !== 0)
    throw new DomainError('TRANSACTION_MISMATCH')
}

async function checkNotExpired(row: TransactionRow, { head }: RelayContext): Promise<void> {
  try {
    const { blockHeight } = await mapLedgerError(head.get())
    if (blockHeight > row.last_valid_block_height) throw new DomainError('TRANSACTION_EXPIRED')
  } catch (error) {
    // While no node responds, submits are stored. They are sent when a node responds.
    if (!isDomainError(error, 'LEDGER_UNAVAILABLE')) throw error
  }
}

async function waitForOutcome(id: string, context: RelayContext): Promise<TransactionRecord> {
  const { store, updates, clock, submitWaitMs } = context
  const deadline = clock.now() + submitWaitMs
  for (;;) {
    const row = await store.get(id)
    const remainingMs = deadline - clock.now()
    if (row.status === 'confirmed' || row.status === 'failed' || remainingMs <= 0) return toRecord(row)
    await updates.next(id, Math.min(remainingMs, REREAD_MS))
  }
}
