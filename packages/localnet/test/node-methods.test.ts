import { Keypair } from '@solana/web3.js'
import { expect, it } from 'vitest'
import { pubkey } from '@agent-registry/solana'
import { startTestLedger, transfer, useTestLedger } from './ledger.ts'

const ledger = useTestLedger({ finalizedDepth: 4 })

it('the supply is the sum of all balances, and fees make it smaller', async () => {
  const { connection } = ledger
  const from = await ledger.wallet()
  const before = (await connection.getSupply()).value
  expect(before).toMatchObject({ circulating: before.total, nonCirculating: 0, nonCirculatingAccounts: [] })
  await ledger.land(transfer(from.publicKey, Keypair.generate().publicKey, 1e9), [from])
  expect((await connection.getSupply()).value.total).toBe(before.total - 5000)
})

it('samples the transactions and slots of each finished minute', async () => {
  await using own = await startTestLedger()
  expect(await own.connection.getRecentPerformanceSamples()).toEqual([])
  expect((await own.rpc('getRecentPerformanceSamples', [721])).error?.code).toBe(-32602)
  const from = await own.wallet()
  await own.land(transfer(from.publicKey, from.publicKey, 1), [from])
  const { slot } = own.net
  await own.rpc('localnet_warp', [120])
  own.net.stepSlot()
  const samples = await own.connection.getRecentPerformanceSamples(5)
  const [newest] = samples
  expect(newest?.slot).toBe(slot)
  expect(samples.reduce((sum, each) => sum + each.numTransactions, 0)).toBe(2)
  expect(samples.reduce((sum, each) => sum + each.numSlots, 0)).toBe(slot)
  expect(newest?.samplePeriodSecs).toBe(60)
})

it('a batch whose responses are too large ends with errors, and the ledger goes on', async () => {
  const key = pubkey(ledger.usdcMint.toBase58())
  ledger.net.fault.overwrite(key, new Uint8Array(1_000_000))
  const params = [key, { encoding: 'base64', commitment: 'processed' }]
  const call = (id: number) => ({ jsonrpc: '2.0', id, method: 'getAccountInfo', params })
  const response = await ledger.post(JSON.stringify(Array.from({ length: 100 }, (_, id) => call(id))))
  const answers = (await response.json()) as { id: number; error?: { code: number } }[]
  expect(answers.map((each) => each.id)).toEqual(Array.from({ length: 100 }, (_, id) => id))
  expect(answers[0]?.error).toBeUndefined()
  expect(answers.at(-1)?.error).toMatchObject({ code: -32603 })
  expect(await ledger.connection.getSlot('processed')).toBe(ledger.net.slot)
})
