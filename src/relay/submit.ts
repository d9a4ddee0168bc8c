import { parseMessage, parseTransaction, type WireTransaction } from '@agent-registry/solana'
import { DomainError } from '../domain/errors.ts'
import { LedgerRpcError } from '../ledger/rpc/rpc-error.ts'
import type { ChainHead } from './chain-head.ts'
import { dispatch, type DispatchDependencies } from './dispatch.ts'
import type { CachedValue } from '../platform/async/cached-value.ts'
import { matchesPrepared } from './match.ts'
import { toRecord, type TransactionRecord, type TransactionRow } from './record.ts'
import { checkSignatures, messageBytes, readSignedTransaction } from './signed-transaction.ts'
import type { SponsorHooks } from './sponsor-hooks.ts'

export interface SubmitInput {
  readonly id?: string | null
  /** base64. */
  readonly signedTx?: string | null
}

export interface SubmitDependencies extends DispatchDependencies {
  readonly head: CachedValue<ChainHead>
  /** How long a submit waits for `confirmed` or `failed`, in milliseconds. */
  readonly submitWaitMs: number
  /** Tells the tracker that there is work. */
  readonly wakeTracker: () => void
  /** Null where nothing is sponsored. */
  readonly sponsor: SponsorHooks | null
}

/** Throws where this door is not the one for a transaction. */
export type Authorize = (row: TransactionRow) => Promise<void>

/** A write of another process is seen this much later, in milliseconds. */
const REREAD_MS = 500

/**
 * Takes a signed transaction, stores it, sends it, and waits for its outcome as long as it was set to. The same message again is
 * answered with the same record, and not sent again. Throws TRANSACTION_NOT_FOUND, INVALID_SIGNED_TRANSACTION, TRANSACTION_MISMATCH,
 * INVALID_SIGNATURE, TRANSACTION_EXPIRED.
 */
export async function submit(
  { id, signedTx }: SubmitInput,
  dependencies: SubmitDependencies,
  admit: Authorize = (row) => admitAnywhere(row, dependencies),
): Promise<TransactionRecord> {
  if (typeof id !== 'string' || typeof signedTx !== 'string')
    throw new DomainError('SUBMISSION_FIELDS_REQUIRED')
  const row = await existing(id, dependencies)
  await admit(row)
  await accept(row, signedTx, dependencies)
  return outcome(id, dependencies)
}

async function admitAnywhere(row: TransactionRow, { sponsor }: SubmitDependencies): Promise<void> {
  if (row.sponsored) await gate(sponsor).authorize(row)
}

function gate(sponsor: SponsorHooks | null): SponsorHooks {
  if (sponsor === null) throw new DomainError('SPONSORSHIP_OFF')
  return sponsor
}

async function existing(id: string, { store }: SubmitDependencies): Promise<TransactionRow> {
  const row = await store.find(id)
  if (row === null) throw new DomainError('TRANSACTION_NOT_FOUND')
  return row
}

async function accept(
  row: TransactionRow,
  signedTx: string,
  dependencies: SubmitDependencies,
): Promise<void> {
  const { store, clock, timing, sponsor } = dependencies
  const transaction = readSignedTransaction(signedTx)
  if (row.signed_tx !== null) {
    checkSameMessage(row.signed_tx, transaction)
    return
  }
  if (row.status === 'failed') throw new DomainError('TRANSACTION_EXPIRED')
  const prepared = parseMessage(Buffer.from(row.message, 'base64'))
  if (!matchesPrepared(prepared, transaction.message)) throw new DomainError('TRANSACTION_MISMATCH')
  checkSignatures(transaction, row.sponsored ? 1 : 0)
  await checkNotExpired(row, dependencies)

  const stored = row.sponsored
    ? await gate(sponsor).countersign(row, transaction)
    : await store.update(row, {
        status: 'submitted',
        signed_tx: signedTx,
        signature: transaction.signature,
        next_check_at: new Date(clock.now() + timing.leaseMs).toISOString(),
      })
  // Somebody else wrote first: the same submit, or its expiry.
  if (stored === null) return accept(await existing(row.id, dependencies), signedTx, dependencies)
  if (stored.status !== 'submitted') return undefined
  await dispatch(stored, dependencies)
  dependencies.wakeTracker()
}

/** Another message of the same transaction, with other assertions for instance, would be a second one that can land. */
function checkSameMessage(stored: string, transaction: WireTransaction): void {
  const known = parseTransaction(Buffer.from(stored, 'base64'))
  if (Buffer.compare(messageBytes(known), messageBytes(transaction)) !== 0)
    throw new DomainError('TRANSACTION_MISMATCH')
}

async function checkNotExpired(row: TransactionRow, { head }: SubmitDependencies): Promise<void> {
  try {
    const { blockHeight } = await head.get()
    if (blockHeight > row.last_valid_block_height) throw new DomainError('TRANSACTION_EXPIRED')
  } catch (error) {
    // A silent node does not stop a submit: it is stored, and sent once the node answers.
    if (!(error instanceof LedgerRpcError)) throw error
  }
}

async function outcome(id: string, dependencies: SubmitDependencies): Promise<TransactionRecord> {
  const { changes, clock, submitWaitMs } = dependencies
  const deadline = clock.now() + submitWaitMs
  for (;;) {
    const row = await existing(id, dependencies)
    const left = deadline - clock.now()
    if (row.status === 'confirmed' || row.status === 'failed' || left <= 0) return toRecord(row)
    await changes.next(id, Math.min(left, REREAD_MS))
  }
}
