import PQueue from 'p-queue'
import { parseMessage, type Pubkey } from '@agent-registry/solana'
import { LedgerRpcError } from '../../ledger/rpc/rpc-error.ts'
import type { RelayContext } from '../context.ts'
import { fetchFinalizedHeight } from '../fetch-statuses.ts'
import { SEARCH_LIMITS } from '../policy.ts'
import type { TransactionRow } from '../record.ts'
import { SearchBudget } from './search-budget.ts'
import { findLanded } from './find-landed.ts'
import { listPage, type SignatureWindow } from './list-signatures.ts'
import type { SearchResult } from './search-result.ts'

interface Search {
  rows: TransactionRow[]
  window: SignatureWindow
}

/**
 * Searches the finalized ledger for expired transactions, whoever sent them. A row without a result
 * must be searched again: a node that may know it does not respond, or this pass had no call or no
 * time left.
 * Throws LedgerRpcError if no node responds.
 */
export async function searchLedger(
  rows: readonly TransactionRow[],
  { rpc, store, clock, timing }: Pick<RelayContext, 'rpc' | 'store' | 'clock' | 'timing'>,
): Promise<Map<string, SearchResult>> {
  const results = new Map<string, SearchResult>()
  const finalized = await fetchFinalizedHeight(rpc)
  // The results are stored at the end, before another process can lease the rows.
  const budget = new SearchBudget(SEARCH_LIMITS.calls, clock, clock.now() + timing.leaseMs / 2)
  const searches: Search[] = []

  await inParallel([...groupByPayer(rows)], async ([address, group]) => {
    if (budget.isOver) return
    const oldestSlot = Math.min(...group.map((row) => row.blockhash_slot))
    const window = await listPage(rpc, { address, oldestSlot, infos: [], pages: 0 }, finalized.slot)
    searches.push({ rows: group, window })
  })

  // An account with many transactions must not delay the others.
  searches.sort((a, b) => cost(a) - cost(b))
  await inParallel(searches, async (search) => {
    let { window } = search
    while (!window.complete && window.pages < SEARCH_LIMITS.pages) {
      if (!budget.take()) return
      window = await listPage(rpc, window, finalized.slot)
    }
    const found = await findLanded(search.rows, window, { rpc, store, budget })
    for (const [id, result] of found) results.set(id, result)
  })
  return results
}

function groupByPayer(rows: readonly TransactionRow[]): Map<Pubkey, TransactionRow[]> {
  return Map.groupBy(rows, ({ message }) => {
    const [payer] = parseMessage(Buffer.from(message, 'base64')).staticKeys
    if (payer === undefined) throw new Error('a prepared message has no fee payer')
    return payer
  })
}

function cost({ window }: Search): number {
  return window.complete ? window.infos.length : Infinity
}

/** A failed call concerns only one fee payer: its rows have no result. */
async function inParallel<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const queue = new PQueue({ concurrency: SEARCH_LIMITS.concurrentPayers })
  await queue.addAll(
    items.map((item) => async () => {
      try {
        await work(item)
      } catch (error) {
        if (!(error instanceof LedgerRpcError)) throw error
      }
    }),
  )
}
