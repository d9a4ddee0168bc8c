import { ComputeBudgetProgram, type Keypair, SystemProgram } from '@solana/web3.js'
import { beforeAll, expect, test } from 'vitest'
import * as fc from '../../support/property.ts'
import type { LedgerCalls } from '../../../src/ledger/rpc/ledger-rpc.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { createLedgerState } from '../../../src/transactions/ledger-state.ts'
import { toEstimate } from '../../../src/transactions/fees.ts'
import { computeUnitLimit } from '../../../src/transactions/build.ts'
import { keyOf, useRelayWorld } from '../../support/transactions/relay-world.ts'
import { refused } from '../../support/refusal.ts'

const world = useRelayWorld()
let payer: Keypair
beforeAll(async () => {
  payer = await world.funded()
})

test('percentiles do not depend on the order of the samples', () => {
  const sorted = Array.from({ length: 100 }, (_, i) => (i + 1) * 1_000)
  expect(toEstimate(sorted)).toEqual({ low: 25_000, medium: 50_000, high: 75_000 })
  expect(toEstimate(sorted.toReversed())).toEqual(toEstimate(sorted))
})

test.each([
  [[11_000, 12_000, 13_000], { low: 11_000, medium: 12_000, high: 13_000 }],
  [[11_000, 12_000, 13_000, 14_000, 15_000], { low: 12_000, medium: 13_000, high: 14_000 }],
])('a percentile between two samples of %j is the higher one', (samples, fees) => {
  expect(toEstimate(samples)).toEqual(fees)
})

test('fees stay between minimum and maximum, and a higher level is never cheaper', () => {
  expect(toEstimate([])).toEqual({ low: 0, medium: 1_000, high: 10_000 })
  expect(toEstimate([10 ** 12])).toEqual({ low: 1_000_000, medium: 1_000_000, high: 1_000_000 })
  fc.assert(
    fc.property(fc.array(fc.nat(2_000_000), { maxLength: 150 }), (samples) => {
      const { low, medium, high } = toEstimate(samples)
      expect(low).toBeLessThanOrEqual(medium)
      expect(medium).toBeLessThanOrEqual(high)
      expect(high).toBeLessThanOrEqual(1_000_000)
    }),
  )
})

test('the compute-unit limit has a margin, a minimum and a maximum', () => {
  expect([0, 300, 833, 834, 10_001, 1_400_000].map(computeUnitLimit)).toEqual([
    1_000, 1_000, 1_000, 1_001, 12_002, 1_400_000,
  ])
})

test('estimates come from transactions that landed on the accounts', async () => {
  for (let i = 0; i < 4; i += 1) {
    await world.transact(
      [
        ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 50_000 }),
        SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: payer.publicKey, lamports: 1 }),
      ],
      [payer],
    )
  }
  const { status, body } = await world.post<Record<string, number>>('/relay/estimate-fees', {
    accountKeys: [keyOf(payer), keyOf(payer)],
  })
  expect(status).toBe(200)
  expect(Object.keys(body)).toEqual(['low', 'medium', 'high'])
  const answer = await world.graphql(
    'query ($k: [Pubkey!]!) { feeEstimate(accountKeys: $k) { low medium high } }',
    {
      k: [keyOf(payer)],
    },
  )
  expect(answer.data).toMatchObject({ feeEstimate: { low: expect.any(Number) as number } })
  expect((await world.post('/relay/estimate-fees', { accountKeys: [] })).status).toBe(200)
})

test('accounts without samples, and no accounts, get the estimate for any transaction', async () => {
  const asked: unknown[] = []
  const call = async (_: string, [accounts]: [string[]]) => {
    asked.push(accounts)
    return accounts.length === 0 ? [{ prioritizationFee: 20_000 }] : []
  }
  const { estimateFees } = world.replica({ rpc: { call: call as never } })
  const fees = { low: 20_000, medium: 20_000, high: 20_000 }
  expect(await estimateFees({ accountKeys: [keyOf(payer), keyOf(payer)] })).toEqual(fees)
  expect(await estimateFees({ accountKeys: [] })).toEqual(fees)
  expect(asked).toEqual([[keyOf(payer)], []])
})

test.each([
  [{}, 'accountKeys array is required'],
  [{ accountKeys: 'x' }, 'accountKeys array is required'],
  [{ accountKeys: ['x'] }, 'accountKeys[0] must be a base-58 public key of 32 bytes, got "x"'],
  [{ accountKeys: Array.from({ length: 129 }, () => 'x') }, 'Too many account keys: 129, at most 128'],
])('%j is refused with 400', async (body, error) => {
  const answer = await world.post<{ error: string }>('/relay/estimate-fees', body)
  expect([answer.status, answer.body.error]).toEqual([400, error])
})

test('the response is 503 while the ledger does not respond', async () => {
  world.localnet.fault.http({ methods: ['getRecentPrioritizationFees'], status: 429 })
  const { status, body } = await world.post('/relay/estimate-fees', { accountKeys: [keyOf(payer)] })
  expect({ status, body }).toEqual(refused(503, 'LEDGER_UNAVAILABLE', 'The ledger RPC node is not available'))
})

test('a prepare works without samples', async () => {
  world.localnet.fault.http({ methods: ['getRecentPrioritizationFees'], status: 503 })
  const transfer = SystemProgram.transfer({
    fromPubkey: payer.publicKey,
    toPubkey: payer.publicKey,
    lamports: 1,
  })
  expect(await world.prepare([transfer], [payer])).toMatchObject({ feePayer: keyOf(payer) })
})

const ask = (fields: string) => world.graphql(`{ ledger { ${fields} } }`)

test('the rent of accounts and the block height are those of the node', async () => {
  const { data } = await ask(
    'slot blockHeight epoch agent: rentExemption(bytes: 421) empty: rentExemption(bytes: 0)',
  )
  const { ledger } = data as { ledger: Record<string, unknown> }
  const rent = await world.rpc.call<number>('getMinimumBalanceForRentExemption', [421])
  expect(ledger.agent).toBe(String(rent))
  expect(ledger.empty).toBe(String(await world.rpc.call('getMinimumBalanceForRentExemption', [0])))
  expect(ledger.epoch).toBe(0)
  expect(ledger.blockHeight).toBeLessThanOrEqual(await world.connection.getBlockHeight('processed'))
  expect(ledger.blockHeight).toBeGreaterThan(0)
})

test('the time is that of the clock of the programs', async () => {
  const { data } = await ask('time')
  const { ledger } = data as { ledger: { time: string } }
  const slot = await world.connection.getSlot('confirmed')
  const blockTime = (await world.connection.getBlockTime(slot))!
  // The answer may be a second old, and the block can be newer.
  expect(Math.abs(Date.parse(ledger.time) / 1_000 - blockTime)).toBeLessThanOrEqual(5)
})

test('the time is not available from a node that returns no clock', async () => {
  const noClock: LedgerCalls = { call: async <Result>() => ({ value: null }) as Result }
  const state = createLedgerState(noClock, systemClock)
  await expect(state.time()).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE' })
})

test('many sizes in one request are one call of the node', async () => {
  await ask('rentExemption(bytes: 1)')
  const before = world.calls.length
  await ask(Array.from({ length: 50 }, (_, i) => `r${i}: rentExemption(bytes: ${i})`).join(' '))
  const methods = world.calls.slice(before)
  expect(methods.filter((each) => each === 'getMinimumBalanceForRentExemption')).toEqual([])
  expect(methods.filter((each) => each === 'getEpochInfo').length).toBeLessThanOrEqual(1)
})

test.each([-1, 10_485_761])('a size of %d bytes is refused', async (bytes) => {
  const { errors } = await ask(`rentExemption(bytes: ${bytes})`)
  expect(errors?.[0]?.message).toBe(`bytes must be an integer from 0 to 10485760, got ${bytes}`)
})

test('the error says that the ledger is not available while the node does not respond', async () => {
  world.localnet.fault.http({ methods: ['getEpochInfo'], status: 429 })
  await expect
    .poll(async () => (await ask('blockHeight')).errors?.[0]?.extensions?.code)
    .toBe('LEDGER_UNAVAILABLE')
})
