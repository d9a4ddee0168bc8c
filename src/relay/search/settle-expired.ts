import type { RelayContext } from '../context.ts'
import { fetchFinalizedHeight } from '../fetch-statuses.ts'
import { SEARCH_LIMITS } from '../policy.ts'
import type { TransactionRow } from '../record.ts'
import { onSearchResult } from '../transitions.ts'
import { searchLedger } from './search-ledger.ts'

/** Searches the ledger for expired rows and stores the results. */
export async function settleExpired(rows: readonly TransactionRow[], context: RelayContext): Promise<void> {
  if (rows.length === 0) return
  const { clock, store, updates, timing } = context
  const results = await searchLedger(rows, context)
  const now = clock.now()
  for (const row of rows) {
    const waitMs = timing.finalityPollMs * Math.min(2 ** row.misses, SEARCH_LIMITS.maxBackoff)
    const change = onSearchResult(row, results.get(row.id), new Date(now).toISOString())
    await store.update(row, { next_check_at: new Date(now + waitMs).toISOString(), ...change })
    updates.notify(row.id)
  }
}

/** Settles rows that expired before they were submitted. The wallet may have sent them itself. */
export async function settleUnsubmitted(context: RelayContext): Promise<void> {
  const { clock, store, rpc, timing } = context
  const { blockHeight } = await fetchFinalizedHeight(rpc)
  await store.expireSponsored(blockHeight)
  const { rows: limit, rowsPerPayer: perPayer } = SEARCH_LIMITS
  const now = clock.now()
  const until = now + timing.leaseMs
  await settleExpired(await store.claimExpired({ blockHeight, now, until, limit, perPayer }), context)
}
