import { sql } from 'kysely'
import { type LedgerRpc, LedgerRpcError } from '../rpc.ts'
import { lookUp } from './awaited-signatures.ts'
import type { IndexerEngine } from './engine.ts'
import { markOrphaned } from './finality.ts'

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
  const orphans = await provenOrphans(rpc, gone, commitment)
  if (orphans.length > 0) await takeBack(engine, orphans)
  return orphans.length
}

/**
 * A transaction is gone only when the block of its slot does not hold it, or the slot has no block.
 * That a node does not list it proves nothing: its index may lag.
 */
export async function provenOrphans(
  rpc: LedgerRpc,
  suspects: readonly Placed[],
  commitment: string,
): Promise<string[]> {
  const slots = [...new Set(suspects.map((suspect) => suspect.slot))]
  if (slots.length === 0) return []
  const config = {
    commitment,
    transactionDetails: 'signatures',
    rewards: false,
    maxSupportedTransactionVersion: 1,
  }
  const blocks = await rpc.settle<{ signatures?: string[] } | null>(
    slots.map((slot) => ({ method: 'getBlock', params: [slot, config] })),
  )
  const orphanedIn = new Map(slots.map((slot, i) => [slot, membership(blocks[i])]))
  return suspects
    .filter(({ signature, slot }) => orphanedIn.get(slot)?.(signature) === true)
    .map(({ signature }) => signature)
}

function membership(
  block: { signatures?: string[] } | null | undefined | LedgerRpcError,
): (signature: string) => boolean {
  if (block instanceof LedgerRpcError) return () => SKIPPED_SLOT.has(block.code ?? 0)
  const signatures = block?.signatures
  if (signatures === undefined) return () => false
  const held = new Set(signatures)
  return (signature) => !held.has(signature)
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
