import { randomBytes } from 'node:crypto'
import { Keypair, SystemProgram, TransactionMessage } from '@solana/web3.js'
import bs58 from 'bs58'
import { expect, test } from 'vitest'
import type { Pubkey } from '@agent-registry/solana'
import type { TransactionRow } from '../../../src/relay/record.ts'
import type { TransactionStore } from '../../../src/relay/transaction-store.ts'
import { CallBudget } from '../../../src/relay/search/call-budget.ts'
import { findLanded } from '../../../src/relay/search/find-landed.ts'

const LISTED = 2_000

test('the search among many signatures of one fee payer lets other work run', async () => {
  const payer = Keypair.generate().publicKey
  const transfer = SystemProgram.transfer({ fromPubkey: payer, toPubkey: payer, lamports: 1 })
  const recentBlockhash = bs58.encode(randomBytes(32))
  const content = { payerKey: payer, recentBlockhash, instructions: [transfer] }
  const bytes = new TransactionMessage(content).compileToV0Message().serialize()
  const row = { id: 'a', message: Buffer.from(bytes).toString('base64') } as TransactionRow
  const infos = Array.from({ length: LISTED }, () => ({
    signature: bs58.encode(randomBytes(64)),
    slot: 1,
    err: null,
  }))
  const address = payer.toBase58() as Pubkey
  const rpc = { call: () => Promise.reject(new Error('no call is necessary')) }

  let turns = 0
  const timer = setInterval(() => (turns += 1), 0)
  const window = { address, oldestSlot: 0, infos, pages: 5, complete: false }
  const budget = new CallBudget(0)
  const results = await findLanded([row], window, { rpc, store: {} as TransactionStore, budget })
  clearInterval(timer)
  expect(results.get('a')).toEqual({ kind: 'unknown' })
  expect(turns).toBeGreaterThan(5)
})
