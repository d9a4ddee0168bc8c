import { sql } from 'kysely'
import { type LedgerRpc, LedgerRpcError } from '../rpc.ts'
import { listBacklog } from './backlog.ts'
import type { SignatureInfo } from './batch.ts'
import { FINALITY_OVERLAP_SLOTS, type IndexerEngine } from './engine.ts'
import { markFinalized, markOrphaned } from './finality.ts'

/** A slot without a block: -32007 (skipped), -32009 (skipped or no longer stored). */
const SKIPPED_SLOT = new Set([-32007, -32009])

export interface FinalityReport {
  finalized: number
  orphaned: number
  /** Finalized transactions that the live path had not seen. */
  late: number
}

interface Recorded {
  signature: string
  slot: number
  finality: string
}

/** Compares what was read at `confirmed` with the finalized ledger since the last check. */
export async function verifyFinality(engine: IndexerEngine): Promise<FinalityReport> {
  const { rpc, programId, db } = engine.options
  const report: FinalityReport = { finalized: 0, orphaned: 0, late: 0 }
  const finalizedSlot = await rpc.call<number>('getSlot', [{ commitment: 'finalized' }])
  if (finalizedSlot <= engine.position.finalizedSlot) return report
  const backlog = await listBacklog(rpc, {
    programId,
    commitment: 'finalized',
    until: engine.position.finalizedSignature,
    minSlot: 0,
    minContextSlot: finalizedSlot,
  })
  const listed = new Set<string>()
  const failed: string[] = []
  let { finalizedSignature } = engine.position
  for await (const page of backlog.oldestFirst()) {
    const recorded = await recordedOf(engine, page)
    const late: SignatureInfo[] = []
    const settled: string[] = []
    for (const info of page) {
      const row = recorded.get(info.signature)
      if (info.slot < finalizedSlot - FINALITY_OVERLAP_SLOTS) finalizedSignature = info.signature
      if (info.err !== null) {
        // It had succeeded on the fork that was read.
        if (row !== undefined && row.finality !== 'orphaned') failed.push(info.signature)
        continue
      }
      listed.add(info.signature)
      if (row === undefined || row.slot !== info.slot || row.finality === 'orphaned') late.push(info)
      else if (row.finality === 'confirmed') settled.push(info.signature)
    }
    if (late.length > 0)
      await engine.ingest(late.map((info) => ({ ...info, confirmationStatus: 'finalized' })))
    if (settled.length > 0) await engine.store(engine.position, (tx) => markFinalized(tx, settled))
    report.late += late.length
    report.finalized += settled.length
  }
  const { rows: unlisted } = await sql<{ signature: string; slot: number }>`
    select signature, slot from ledger_transactions
    where finality = 'confirmed' and slot <= ${finalizedSlot}`.execute(db())
  const suspects = unlisted.filter((row) => !listed.has(row.signature))
  const undone = [...failed, ...(await provenOrphans(rpc, suspects))]
  if (undone.length > 0) await restoreAfterFork(engine, undone)
  report.orphaned = undone.length
  await engine.store({ ...engine.position, finalizedSlot, finalizedSignature }, async () => {})
  return report
}

async function recordedOf(
  engine: IndexerEngine,
  page: readonly SignatureInfo[],
): Promise<Map<string, Recorded>> {
  const { rows } = await sql<Recorded>`
    select signature, slot, finality from ledger_transactions
    where signature = any(${page.map((info) => info.signature)})`.execute(engine.options.db())
  return new Map(rows.map((row) => [row.signature, row]))
}

/**
 * A transaction is gone only when the finalized block of its slot does not hold it, or the slot has no block.
 * That a node does not list it proves nothing: its index may lag.
 */
async function provenOrphans(
  rpc: LedgerRpc,
  suspects: readonly { signature: string; slot: number }[],
): Promise<string[]> {
  const slots = [...new Set(suspects.map((suspect) => suspect.slot))]
  if (slots.length === 0) return []
  const config = {
    commitment: 'finalized',
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

async function restoreAfterFork(engine: IndexerEngine, signatures: readonly string[]): Promise<void> {
  const { rows } = await sql<{ accounts: string[] }>`
    select accounts from ledger_transactions where signature = any(${signatures})`.execute(
    engine.options.db(),
  )
  const pdas = [...new Set(rows.flatMap((row) => row.accounts))].sort()
  await engine.restore(pdas, async (db) => {
    await markOrphaned(db, signatures)
  })
}
