import { randomBytes } from 'node:crypto'
import { PublicKey, TransactionMessage } from '@solana/web3.js'
import bs58 from 'bs58'
import { expect, test } from 'vitest'
import type { Pubkey } from '@agent-registry/solana'
import { LedgerRpcError } from '../../../src/ledger/rpc/rpc-error.ts'
import { RELAY_TIMING, SEARCH_LIMITS } from '../../../src/transactions/limits.ts'
import type { TransactionRow, TransactionStore } from '../../../src/transactions/transaction-store.ts'
import { listPage, searchLedger } from '../../../src/transactions/search-ledger.ts'
import { onSearchResult } from '../../../src/transactions/transitions.ts'

const LISTING_MS = 6_000

/** A row whose fee payer is a new wallet. */
function createRow(id: string): TransactionRow {
  const payerKey = new PublicKey(randomBytes(32))
  const recentBlockhash = bs58.encode(randomBytes(32))
  const message = new TransactionMessage({ payerKey, recentBlockhash, instructions: [] }).compileToV0Message()
  const base64 = Buffer.from(message.serialize()).toString('base64')
  return { id, message: base64, blockhashSlot: 5 } as TransactionRow
}

test('a search ends after half of its lease, and the other rows are searched again', async () => {
  let now = 0
  const call = async (method: string): Promise<unknown> => {
    if (method === 'getEpochInfo') return { blockHeight: 1, absoluteSlot: 1 }
    now += LISTING_MS
    return []
  }
  const rows = ['a', 'b', 'c', 'd'].map(createRow)
  const results = await searchLedger(rows, {
    rpc: { call: call as never },
    store: {} as TransactionStore,
    clock: { now: () => now },
    timing: RELAY_TIMING,
  })
  expect(RELAY_TIMING.leaseMs / 2).toBeLessThan(2 * LISTING_MS)
  expect([...results]).toEqual([
    ['a', { kind: 'absent' }],
    ['b', { kind: 'absent' }],
  ])
})

const signatureOf = (bytes: Uint8Array) => ({ signature: bs58.encode(bytes), slot: 5, err: null })

/** `list` returns the signatures of each fee payer. No transaction can be parsed. */
function search(
  ids: readonly string[],
  list: (id: string) => unknown,
  calls: string[] = [],
  rows = ids.map(createRow),
) {
  const payerOf = ({ message }: TransactionRow) => bs58.encode(Buffer.from(message, 'base64').subarray(5, 37))
  const call = async (method: string, [address]: unknown[] = []): Promise<unknown> => {
    if (method === 'getEpochInfo') return { blockHeight: 1, absoluteSlot: 1 }
    if (method === 'getTransaction') return { transaction: ['AA==', 'base64'] }
    const { id } = rows.find((row) => payerOf(row) === address)!
    calls.push(id)
    return list(id)
  }
  const context = { rpc: { call: call as never }, store: {} as TransactionStore, timing: RELAY_TIMING }
  return searchLedger(rows, { ...context, clock: { now: () => 0 } })
}

test('of a fee payer with many signatures, a limited number of pages is read, and all others come first', async () => {
  const calls: string[] = []
  const endless = (id: string) => (id === 'few' ? [] : [signatureOf(randomBytes(64))])
  const results = await search(['many', 'few'], endless, calls)
  expect([...results]).toEqual([
    ['few', { kind: 'absent' }],
    ['many', { kind: 'unknown' }],
  ])
  expect(calls.filter((id) => id === 'many')).toHaveLength(SEARCH_LIMITS.pages)
})

test('of a fee payer whose search never ends, all attempts together need few calls', async () => {
  const row = createRow('many')
  const calls: string[] = []
  // The last page is missing, because a node that may have it does not respond.
  const list = (): unknown => {
    if (calls.length % SEARCH_LIMITS.pages === 0) throw new LedgerRpcError('timeout', 'no node')
    return [signatureOf(randomBytes(64))]
  }
  let misses: number | undefined = 0
  while (misses !== undefined) {
    const open = { ...row, misses }
    const change = onSearchResult(open, (await search([], list, calls, [open])).get('many'), '')
    misses = change.settled === true ? undefined : change.misses
  }
  expect(calls.length).toBeLessThanOrEqual(60)
})

test('a pass has a limited number of calls, and the rest is searched again', async () => {
  const ids = Array.from({ length: 120 }, (_, i) => `${i}`)
  const calls: string[] = []
  const results = await search(ids, () => [signatureOf(randomBytes(64))], calls)
  expect(calls).toHaveLength(ids.length + SEARCH_LIMITS.calls)
  expect(results.size).toBe(SEARCH_LIMITS.calls / (SEARCH_LIMITS.pages - 1))
})

test('a fee payer whose signatures need few calls comes before those that need many', async () => {
  const many = Array.from({ length: 120 }, (_, i) => `${i}`)
  const page = [signatureOf(randomBytes(64)), { ...signatureOf(randomBytes(64)), slot: 4 }]
  const endless = () => [signatureOf(randomBytes(64))]
  const results = await search([...many, 'few'], (id) => (id === 'few' ? page : endless()))
  expect(results.get('few')).toEqual({ kind: 'absent' })
})

test('the signatures of a fee payer are listed back to its oldest transaction', async () => {
  const old = createRow('old')
  const rows = [{ ...old, id: 'new', blockhashSlot: 9 }, old]
  const results = await search([], () => [signatureOf(randomBytes(64))], [], rows)
  expect([...results.keys()]).toEqual(['new', 'old'])
  expect([...results.values()]).toEqual([{ kind: 'unknown' }, { kind: 'unknown' }])
})

test('a call that fails concerns only its fee payer, and other errors end the search', async () => {
  const failing = (error: Error) => (id: string) => {
    if (id === 'fails') throw error
    return []
  }
  const results = await search(['fails', 'works'], failing(new LedgerRpcError('timeout', 'no node')))
  expect([...results]).toEqual([['works', { kind: 'absent' }]])
  await expect(search(['fails', 'works'], failing(new Error('broken')))).rejects.toThrow('broken')
})

test('the signatures of an account are listed page by page until one is older than the search', async () => {
  const entries = [9, 8, 5, 4].map((slot) => ({ signature: `at ${slot}`, slot, err: null }))
  const [first, second, third, old] = entries
  const asked: unknown[] = []
  let listed: object[] = []
  const rpc = { call: async (_: string, [, config]: unknown[] = []) => (asked.push(config), listed as never) }
  const list = (infos: typeof entries, page: object[]) => {
    listed = page
    return listPage(rpc, { address: 'payer' as Pubkey, oldestSlot: 5, infos, pages: 1 }, 77)
  }
  const window = { address: 'payer', oldestSlot: 5, pages: 2 }
  expect(await list([], [first!, second!])).toEqual({ ...window, infos: [first, second], complete: false })
  expect(await list([first!], [second!, third!])).toEqual({
    ...window,
    infos: [first, second, third],
    complete: false,
  })
  expect(await list([first!], [third!, old!])).toEqual({ ...window, infos: [first, third], complete: true })
  expect(await list([first!], [])).toEqual({ ...window, infos: [first], complete: true })
  // Some nodes return the entry again after which they were asked.
  expect(await list([first!], [first!])).toEqual({ ...window, infos: [first], complete: true })
  const config = { commitment: 'finalized', minContextSlot: 77 }
  expect(asked.slice(0, 2)).toEqual([
    { ...config, limit: 100, before: undefined },
    { ...config, limit: 1_000, before: 'at 9' },
  ])
})
