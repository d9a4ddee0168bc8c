import { setImmediate as nextTick } from 'node:timers/promises'
import bs58 from 'bs58'
import { parseMessage } from '@agent-registry/solana'
import { verifyEd25519 } from '../../domain/ed25519.ts'
import type { SignatureInfo } from '../../ledger/decode/rpc-transaction.ts'
import type { RelayContext } from '../context.ts'
import { matchesPrepared, matchKey } from '../match.ts'
import { ownRows } from '../own-rows.ts'
import { SEARCH_LIMITS } from '../policy.ts'
import type { TransactionRow } from '../record.ts'
import type { SearchBudget } from './search-budget.ts'
import { fetchTransaction } from './fetch-transaction.ts'
import type { SignatureWindow } from './list-signatures.ts'
import type { SearchResult } from './search-result.ts'

/** Verifications until other work of the process can run, about 5 ms. */
const VERIFICATIONS_PER_TURN = 50

/**
 * Searches the rows of one fee payer among its listed signatures. A row has no result if the
 * budget of this pass does not suffice, or if no node returns a listed transaction.
 */
export async function findLanded(
  rows: readonly TransactionRow[],
  { address, infos, complete }: SignatureWindow,
  { rpc, store, budget }: Pick<RelayContext, 'rpc' | 'store'> & { budget: SearchBudget },
): Promise<Map<string, SearchResult>> {
  const results = new Map<string, SearchResult>()
  const rowsToSearch = Math.max(1, Math.floor(SEARCH_LIMITS.verifications / (infos.length + 1)))
  const open = new Set(rows.slice(0, rowsToSearch))
  const unread = new Set(infos)

  const uncertain = new Set<TransactionRow>()

  /** False if the transaction could not be read. */
  const compare = async (info: SignatureInfo): Promise<boolean> => {
    if (!budget.take()) return false
    const transaction = await fetchTransaction(rpc, info.signature)
    if (transaction === 'missing') return false
    unread.delete(info)
    if (transaction === 'unreadable') return true
    const matches = [...open].filter((row) =>
      matchesPrepared(parseMessage(Buffer.from(row.message, 'base64')), transaction.message),
    )
    if (matches.length === 0) return true
    const key = matchKey(transaction.message)
    const prepared = key === null ? [] : await store.findByMatchKeys([key])
    const own = new Set(ownRows(transaction, [...prepared, ...matches]).map((row) => row.message))
    const signedTx = Buffer.from(transaction.bytes).toString('base64')
    for (const row of matches) {
      if (!own.has(row.message)) {
        uncertain.add(row)
        continue
      }
      results.set(row.id, { kind: 'found', signature: info.signature, signedTx })
      open.delete(row)
    }
    return true
  }

  // A listed signature is the fee payer's if it pays, so it shows without a fetch whether it signed
  // the prepared message.
  const signatures = infos.map((info) => ({ info, bytes: bs58.decode(info.signature) }))
  for (const row of open) {
    const message = Buffer.from(row.message, 'base64')
    for (const [i, { info, bytes }] of signatures.entries()) {
      if (i % VERIFICATIONS_PER_TURN === 0) await nextTick()
      if (!verifyEd25519(message, bytes, address)) continue
      // It landed. If it could not be read, the next search reads it: it never counts as absent.
      await compare(info)
      open.delete(row)
      break
    }
  }
  // Others may be versions that a wallet changed, as `match.ts` allows. If a wallet sent several,
  // the one that succeeded counts.
  const isWithinLimits = complete && unread.size <= SEARCH_LIMITS.fetches
  const successesFirst = [...unread].sort((a, b) => Number(a.err !== null) - Number(b.err !== null))
  if (isWithinLimits) for (const info of successesFirst) if (open.size === 0 || !(await compare(info))) break
  for (const row of open) {
    if (!isWithinLimits) results.set(row.id, { kind: 'unknown' })
    else if (unread.size === 0) results.set(row.id, { kind: uncertain.has(row) ? 'unknown' : 'absent' })
  }
  return results
}
