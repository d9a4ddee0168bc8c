import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createRelayWorld, type RelayWorld } from '../../support/transactions/relay-world.ts'

let world: RelayWorld
beforeAll(async () => {
  world = await createRelayWorld()
})
afterAll(() => world.close())
afterEach(() => world.localnet.fault.clear())

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
