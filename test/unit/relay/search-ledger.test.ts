import { randomBytes } from 'node:crypto'
import { PublicKey, TransactionMessage } from '@solana/web3.js'
import bs58 from 'bs58'
import { expect, test } from 'vitest'
import { RELAY_TIMING } from '../../../src/relay/policy.ts'
import type { TransactionRow } from '../../../src/relay/record.ts'
import { searchLedger } from '../../../src/relay/search/search-ledger.ts'
import type { TransactionStore } from '../../../src/relay/transaction-store.ts'

const LISTING_MS = 6_000

/** A row whose fee payer is a new wallet. */
function createRow(id: string): TransactionRow {
  const payerKey = new PublicKey(randomBytes(32))
  const recentBlockhash = bs58.encode(randomBytes(32))
  const message = new TransactionMessage({ payerKey, recentBlockhash, instructions: [] }).compileToV0Message()
  return { id, message: Buffer.from(message.serialize()).toString('base64') } as TransactionRow
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
