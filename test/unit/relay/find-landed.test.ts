import { randomBytes } from 'node:crypto'
import { Keypair, SystemProgram, TransactionMessage, VersionedTransaction } from '@solana/web3.js'
import bs58 from 'bs58'
import { expect, test } from 'vitest'
import type { Pubkey } from '@agent-registry/solana'
import type { TransactionRow } from '../../../src/relay/record.ts'
import type { TransactionStore } from '../../../src/relay/transaction-store.ts'
import { findLanded } from '../../../src/relay/search/find-landed.ts'
import { SearchBudget } from '../../../src/relay/search/search-budget.ts'

const LISTED = 2_000

/** A prepared row, and a search in a window with too many signatures to fetch and no call left. */
function createSearch() {
  const keypair = Keypair.generate()
  const payer = keypair.publicKey
  const transfer = SystemProgram.transfer({ fromPubkey: payer, toPubkey: payer, lamports: 1 })
  const recentBlockhash = bs58.encode(randomBytes(32))
  const content = { payerKey: payer, recentBlockhash, instructions: [transfer] }
  const transaction = new VersionedTransaction(new TransactionMessage(content).compileToV0Message())
  transaction.sign([keypair])
  const message = Buffer.from(transaction.message.serialize()).toString('base64')
  const search = (signatures: readonly Uint8Array[]) => {
    const infos = signatures.map((bytes) => ({ signature: bs58.encode(bytes), slot: 1, err: null }))
    const address = payer.toBase58() as Pubkey
    const window = { address, oldestSlot: 0, infos, pages: 5, complete: false }
    const rpc = { call: () => Promise.reject(new Error('no call is necessary')) }
    const context = { rpc, store: {} as TransactionStore, budget: new SearchBudget(0, { now: () => 0 }, 1) }
    return findLanded([{ id: 'a', message } as TransactionRow], window, context)
  }
  return { search, signature: transaction.signatures[0]! }
}

test('the search among many signatures of one fee payer lets other work run', async () => {
  const { search } = createSearch()
  let turns = 0
  const timer = setInterval(() => (turns += 1), 0)
  const results = await search(Array.from({ length: LISTED }, () => randomBytes(64)))
  clearInterval(timer)
  expect(results.get('a')).toEqual({ kind: 'unknown' })
  expect(turns).toBeGreaterThan(5)
})

test('a transaction whose signature is listed is searched again if it cannot be read now', async () => {
  const { search, signature } = createSearch()
  expect((await search([signature])).get('a')).toBeUndefined()
})
