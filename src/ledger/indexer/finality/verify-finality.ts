import { sql } from 'kysely'
import { chunksOf } from '../../../platform/async/promises.ts'
import type { SignatureInfo } from '../../decode/rpc-transaction.ts'
import type { IndexerEngine } from '../engine.ts'
import { isUpToDate, loadTransactions } from '../fetch/known-transactions.ts'
import { listSignatures } from '../fetch/signature-listing.ts'
import { FINALITY_OVERLAP_SLOTS } from '../position.ts'
import { markFinalized } from '../write/mark-transactions.ts'
import { checkBlocks, orphanTransactions } from './forks.ts'

/** Accounts or transactions per database transaction. The leader's loop waits for at most one. */
const CHUNK_SIZE = 500

export interface FinalityReport {
  finalized: number
  orphaned: number
  /** Finalized transactions that the leader's loop had not read. */
  late: number
}

/** Compares what was read since the last check with the finalized ledger. */
export async function verifyFinality(engine: IndexerEngine): Promise<FinalityReport> {
  const { rpc, programId, db } = engine.options
  const report: FinalityReport = { finalized: 0, orphaned: 0, late: 0 }
  const finalizedSlot = await rpc.call<number>('getSlot', [{ commitment: 'finalized' }])
  if (finalizedSlot <= engine.position.finalizedSlot) return report
  const until = engine.position.finalizedSignature
  const listing = await listSignatures(rpc, {
    programId,
    commitment: 'finalized',
    until,
    // After a gap in the history there is no `until`. Then the slot ends the listing.
    minSlot: until === null ? engine.position.finalizedSlot - FINALITY_OVERLAP_SLOTS : 0,
    minContextSlot: finalizedSlot,
  })
  // A node that lags, or has dropped history, cannot be compared with.
  if (until !== null && listing.count > 0 && !listing.complete) return report
  const listed = new Set<string>()
  const failed: string[] = []
  let { finalizedSignature } = engine.position
  for await (const page of listing.oldestFirst()) {
    const stored = await loadTransactions(db(), page)
    const late: SignatureInfo[] = []
    const confirmed: SignatureInfo[] = []
    for (const info of page) {
      const row = stored.get(info.signature)
      if (info.slot < finalizedSlot - FINALITY_OVERLAP_SLOTS) finalizedSignature = info.signature
      if (info.err !== null) {
        // It succeeded on the fork that was read.
        if (row !== undefined && row.finality !== 'orphaned') {
          failed.push(info.signature)
          listed.add(info.signature)
        }
        continue
      }
      listed.add(info.signature)
      if (!isUpToDate(row, info)) late.push({ ...info, confirmationStatus: 'finalized' })
      else if (row?.finality === 'confirmed') confirmed.push(info)
    }
    if (late.length > 0) await engine.ingest([late])
    // Late ones too: the leader's loop may have written one as confirmed in the meantime.
    await storeFinalized(engine, [...late, ...confirmed])
    report.late += late.length
    report.finalized += confirmed.length
  }
  const { rows: confirmed } = await sql<{ signature: string; slot: number }>`
    select signature, slot from ledger_transactions
    where finality = 'confirmed' and slot <= ${finalizedSlot}`.execute(db())
  // Not in this listing: below its end, missing in the nodes' indexes, or removed by a fork.
  const unlisted = confirmed.filter((row) => !listed.has(row.signature))
  const { included, removed } = await checkBlocks(rpc, unlisted, 'finalized')
  await storeFinalized(engine, included)
  report.finalized += included.length
  const orphaned = [...failed, ...removed]
  if (orphaned.length > 0) await orphanTransactions(engine, orphaned)
  report.orphaned = orphaned.length
  await refreshFinalizedAccounts(engine, finalizedSlot)
  await engine.store(
    async () => {},
    (position) => ({ ...position, finalizedSlot, finalizedSignature }),
  )
  return report
}

async function storeFinalized(
  engine: IndexerEngine,
  transactions: readonly { signature: string; slot: number }[],
): Promise<void> {
  for (const chunk of chunksOf(transactions, CHUNK_SIZE)) await engine.store((tx) => markFinalized(tx, chunk))
}

/** Reads the accounts again that were read before their slot was final. */
async function refreshFinalizedAccounts(engine: IndexerEngine, finalizedSlot: number): Promise<void> {
  for (;;) {
    const pdas = engine.nonFinalAccounts.readUpTo(finalizedSlot, CHUNK_SIZE)
    if (pdas.length === 0) return
    await engine.refreshAccounts(pdas, { commitment: 'finalized', minContextSlot: finalizedSlot })
    engine.nonFinalAccounts.remove(pdas, finalizedSlot)
  }
}
