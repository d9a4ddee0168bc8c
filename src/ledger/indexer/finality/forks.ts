import { sql } from 'kysely'
import type { LedgerRpc } from '../../rpc/ledger-rpc.ts'
import { LedgerRpcError } from '../../rpc/rpc-error.ts'
import { lookUp } from '../awaited-signatures.ts'
import type { IndexerEngine } from '../engine.ts'
import { markOrphaned } from '../write/mark-transactions.ts'

/** A slot without a block: -32007 (skipped), -32009 (skipped or no longer stored). */
const SKIPPED_SLOT = new Set([-32007, -32009])

interface Placed {
  signature: string
  slot: number
}

/** Whether a fork may have moved the transaction at the cursor, or taken it away. */
export async function mayHaveForked({ options, position }: IndexerEngine): Promise<boolean> {
  const { cursor, finalizedSlot, finalizedSignature } = position
  if (cursor.signature === null || cursor.signature === finalizedSignature) return false
  if (cursor.slot <= finalizedSlot) return false
  const [found] = await lookUp(options.rpc, [cursor.signature])
  return found?.slot !== cursor.slot
}

/** Takes back what a fork demonstrably took, without waiting for finality; returns how many transactions. */
export async function takeBackForked(engine: IndexerEngine): Promise<number> {
  const { rpc, db, commitment } = engine.options
  const { rows } = await sql<Placed>`
    select signature, slot from ledger_transactions where finality = 'confirmed'`.execute(db())
  const found = new Map(
    (
      await lookUp(
        rpc,
        rows.map((row) => row.signature),
      )
    ).map((info) => [info.signature, info]),
  )
  const gone = rows.filter(({ signature }) => !found.has(signature))
  const orphans = (await askBlocks(rpc, gone, commitment)).gone
  if (orphans.length > 0) await takeBack(engine, orphans)
  return orphans.length
}

/**
 * Which transactions the blocks of their slots hold, and which are gone; of the others nothing is known. One is gone only when the block of its slot
 * does not hold it, or when the chain passes over its slot: the next block's parent lies before it. That a node does not list it proves nothing,
 * since its index may lag; nor that it has no block there, since it may have begun from a later snapshot.
 */
export async function askBlocks<Suspect extends Placed>(
  rpc: LedgerRpc,
  suspects: readonly Suspect[],
  commitment: string,
): Promise<{ held: Suspect[]; gone: string[] }> {
  const slots = [...new Set(suspects.map((suspect) => suspect.slot))]
  if (slots.length === 0) return { held: [], gone: [] }
  const config = { ...BLOCK_CONFIG, commitment, transactionDetails: 'signatures' }
  const blocks = await rpc.settle<{ signatures?: string[] } | null>(
    slots.map((slot) => ({ method: 'getBlock', params: [slot, config] })),
  )
  const signatures = new Map<number, ReadonlySet<string> | null>()
  for (const [i, slot] of slots.entries())
    signatures.set(slot, await heldBy(rpc, slot, blocks[i], commitment))
  const has = ({ slot, signature }: Placed): boolean | undefined => signatures.get(slot)?.has(signature)
  return {
    held: suspects.filter((each) => has(each) === true),
    gone: suspects.filter((each) => has(each) === false).map((each) => each.signature),
  }
}

const BLOCK_CONFIG = { rewards: false, maxSupportedTransactionVersion: 1 }

/** The signatures in the block of a slot, none where the slot has no block; null when that is not known. */
async function heldBy(
  rpc: LedgerRpc,
  slot: number,
  block: { signatures?: string[] } | null | undefined | LedgerRpcError,
  commitment: string,
): Promise<ReadonlySet<string> | null> {
  if (!(block instanceof LedgerRpcError))
    return block?.signatures === undefined ? null : new Set(block.signatures)
  if (!SKIPPED_SLOT.has(block.code ?? 0)) return null
  const [next] = await rpc.call<number[]>('getBlocksWithLimit', [slot, 1, { commitment }])
  if (next === undefined) return null
  const config = { ...BLOCK_CONFIG, commitment, transactionDetails: 'none' }
  const [child] = await rpc.settle<{ parentSlot: number } | null>([
    { method: 'getBlock', params: [next, config] },
  ])
  if (child === undefined || child === null || child instanceof LedgerRpcError) return null
  return next > slot && child.parentSlot < slot ? new Set() : null
}

/** Marks transactions orphaned and reads the accounts that they wrote again. */
export async function takeBack(engine: IndexerEngine, signatures: readonly string[]): Promise<void> {
  const { rows } = await sql<{ accounts: string[] }>`
    select accounts from ledger_transactions where signature = any(${signatures})`.execute(
    engine.options.db(),
  )
  const pdas = [...new Set(rows.flatMap((row) => row.accounts))].sort()
  const gone = new Set(signatures)
  await engine.restore(
    pdas,
    (db) => markOrphaned(db, signatures),
    // A listing cannot end at a transaction that is not on the ledger.
    (position) =>
      position.cursor.signature !== null && gone.has(position.cursor.signature)
        ? { ...position, cursor: { ...position.cursor, signature: position.finalizedSignature } }
        : position,
  )
}
