import { sql } from 'kysely'
import { listBacklog } from '../fetch/signature-listing.ts'
import type { SignatureInfo } from '../../decode/rows.ts'
import type { IndexerEngine } from '../engine.ts'
import { markFinalized } from '../write/mark-transactions.ts'
import { askBlocks, takeBack } from './forks.ts'
import { isListedPlace, recordedOf } from '../fetch/known-transactions.ts'
import { FINALITY_OVERLAP_SLOTS } from '../position.ts'

/** Accounts, and transactions, in one database transaction: the loop that follows the ledger waits no longer than for one. */
const CHUNK = 500

export interface FinalityReport {
  finalized: number
  orphaned: number
  /** Finalized transactions that the live path had not seen. */
  late: number
}

/** Compares what was read at `confirmed` with the finalized ledger since the last check. */
export async function verifyFinality(engine: IndexerEngine): Promise<FinalityReport> {
  const { rpc, programId, db } = engine.options
  const report: FinalityReport = { finalized: 0, orphaned: 0, late: 0 }
  const finalizedSlot = await rpc.call<number>('getSlot', [{ commitment: 'finalized' }])
  if (finalizedSlot <= engine.position.finalizedSlot) return report
  const until = engine.position.finalizedSignature
  const backlog = await listBacklog(rpc, {
    programId,
    commitment: 'finalized',
    until,
    // After a gap in the history no such transaction is known, but what was checked before is not checked again.
    minSlot: until === null ? engine.position.finalizedSlot - FINALITY_OVERLAP_SLOTS : 0,
    minContextSlot: finalizedSlot,
  })
  // What a node that lags or has dropped its history does not list is no news.
  if (until !== null && backlog.count > 0 && !backlog.complete) return report
  const listed = new Set<string>()
  const failed: string[] = []
  let { finalizedSignature } = engine.position
  for await (const page of backlog.oldestFirst()) {
    const recorded = await recordedOf(db(), page)
    const late: SignatureInfo[] = []
    const settled: SignatureInfo[] = []
    for (const info of page) {
      const row = recorded.get(info.signature)
      if (info.slot < finalizedSlot - FINALITY_OVERLAP_SLOTS) finalizedSignature = info.signature
      if (info.err !== null) {
        // It had succeeded on the fork that was read.
        if (row !== undefined && row.finality !== 'orphaned') failed.push(info.signature)
        continue
      }
      listed.add(info.signature)
      if (row === undefined || row.finality === 'orphaned' || !isListedPlace(row, info)) late.push(info)
      else if (row.finality === 'confirmed') settled.push(info)
    }
    if (late.length > 0)
      await engine.ingest(late.map((info) => ({ ...info, confirmationStatus: 'finalized' })))
    // Late ones too: the loop that follows the ledger may have written one as `confirmed` since it was looked for.
    await settle(engine, [...late, ...settled])
    report.late += late.length
    report.finalized += settled.length
  }
  const { rows: unlisted } = await sql<{ signature: string; slot: number }>`
    select signature, slot from ledger_transactions
    where finality = 'confirmed' and slot <= ${finalizedSlot}`.execute(db())
  const suspects = unlisted.filter((row) => !listed.has(row.signature))
  const { held, gone } = await askBlocks(rpc, suspects, 'finalized')
  // Listed below where this listing ended, or by no node's index.
  await settle(engine, held)
  report.finalized += held.length
  const undone = [...failed, ...gone]
  if (undone.length > 0) await takeBack(engine, undone)
  report.orphaned = undone.length
  await settleReads(engine, finalizedSlot)
  await engine.store(
    async () => {},
    (position) => ({ ...position, finalizedSlot, finalizedSignature }),
  )
  return report
}

async function settle(
  engine: IndexerEngine,
  transactions: readonly { signature: string; slot: number }[],
): Promise<void> {
  for (let at = 0; at < transactions.length; at += CHUNK)
    await engine.store((tx) => markFinalized(tx, transactions.slice(at, at + CHUNK)))
}

/** What was read before its slot was final is read again as it is finally. */
async function settleReads(engine: IndexerEngine, finalizedSlot: number): Promise<void> {
  for (;;) {
    const pdas = engine.unsettled.upTo(finalizedSlot, CHUNK)
    if (pdas.length === 0) return
    await engine.refresh(pdas, { commitment: 'finalized', minContextSlot: finalizedSlot })
    engine.unsettled.settle(pdas, finalizedSlot)
  }
}
