import { sql } from 'kysely'
import type { LedgerRpc } from '../../rpc/ledger-rpc.ts'
import { LedgerRpcError } from '../../rpc/rpc-error.ts'
import type { IndexerEngine } from '../engine.ts'
import { fetchBlocks } from '../fetch/fetch-accounts.ts'
import { fetchStatuses } from '../fetch/fetch-transactions.ts'
import { markOrphaned, type TransactionInSlot } from '../write/write-events.ts'

/** A slot without a block: -32007 (skipped), -32009 (skipped, or no longer stored). */
const SKIPPED_SLOT = new Set([-32007, -32009])

/** Whether a fork may have moved or removed the transaction at the cursor. */
export async function mayHaveForked({ options, position }: IndexerEngine): Promise<boolean> {
  const { cursor, finalizedSlot, finalizedSignature } = position
  if (cursor.signature === null || cursor.signature === finalizedSignature) return false
  if (cursor.slot <= finalizedSlot) return false
  const [status] = await fetchStatuses(options.rpc, [cursor.signature])
  return status?.slot !== cursor.slot
}

/**
 * Orphans the transactions that a fork is known to have removed, without waiting for finality.
 * Returns their number.
 */
export async function orphanForkedTransactions(engine: IndexerEngine): Promise<number> {
  const { rpc, db, commitment } = engine.options
  const { rows } = await sql<TransactionInSlot>`
    select signature, slot from ledger_transactions where finality = 'confirmed'`.execute(db())
  const statuses = await fetchStatuses(
    rpc,
    rows.map((row) => row.signature),
  )
  const known = new Set(statuses.map((status) => status.signature))
  const unknown = rows.filter(({ signature }) => !known.has(signature))
  const { removed } = await checkBlocks(rpc, unknown, commitment)
  if (removed.length > 0) await orphanTransactions(engine, removed)
  return removed.length
}

/**
 * Finds out whether blocks contain transactions. One is removed only if the block of its slot does
 * not contain it, or the chain skips the slot. Nothing else proves that: an index may lag, and a
 * node may have started from a later snapshot. Other transactions are in neither list.
 */
export async function checkBlocks(
  rpc: LedgerRpc,
  transactions: readonly TransactionInSlot[],
  commitment: string,
): Promise<{ included: TransactionInSlot[]; removed: TransactionInSlot[] }> {
  const slots = [...new Set(transactions.map((transaction) => transaction.slot))]
  const signatures = new Map<number, ReadonlySet<string>>()
  for (const [slot, block] of await fetchBlocks(rpc, slots, commitment))
    if (block instanceof LedgerRpcError) {
      if (await isSlotSkipped(rpc, slot, block, commitment)) signatures.set(slot, new Set())
    } else if (block?.signatures !== undefined) signatures.set(slot, new Set(block.signatures))
  const isIncluded = ({ slot, signature }: TransactionInSlot): boolean | undefined =>
    signatures.get(slot)?.has(signature)
  return {
    included: transactions.filter((each) => isIncluded(each) === true),
    removed: transactions.filter((each) => isIncluded(each) === false),
  }
}

/** True if the parent of the next block lies before the slot. */
async function isSlotSkipped(
  rpc: LedgerRpc,
  slot: number,
  error: LedgerRpcError,
  commitment: string,
): Promise<boolean> {
  if (!SKIPPED_SLOT.has(error.code ?? 0)) return false
  const [next] = await rpc.call<number[]>('getBlocksWithLimit', [slot, 1, { commitment }])
  if (next === undefined || next <= slot) return false
  const block = (await fetchBlocks(rpc, [next], commitment, 'none')).get(next) ?? null
  return block !== null && !(block instanceof LedgerRpcError) && block.parentSlot < slot
}

/** Marks transactions orphaned and reads the accounts again that they wrote. */
export async function orphanTransactions(
  engine: IndexerEngine,
  transactions: readonly TransactionInSlot[],
): Promise<void> {
  const signatures = transactions.map((each) => each.signature)
  const { rows } = await sql<{ accounts: string[] }>`
    select accounts from ledger_transactions where signature = any(${signatures})`.execute(
    engine.options.db(),
  )
  const pdas = [...new Set(rows.flatMap((row) => row.accounts))].sort()
  await engine.restore(
    pdas,
    (db) => markOrphaned(db, transactions, engine.options.sink),
    ({ cursor, ...position }) => {
      // A listing never reaches a transaction that is no longer on the ledger.
      const isRemoved = cursor.signature !== null && signatures.includes(cursor.signature)
      const signature = isRemoved ? position.finalizedSignature : cursor.signature
      return { ...position, cursor: { ...cursor, signature } }
    },
  )
}
