import { expect, test } from 'vitest'
import { LedgerRpcError } from '../../../src/ledger/rpc/rpc-error.ts'
import { simulate } from '../../../src/transactions/build.ts'

const CONFIG = {
  encoding: 'base64',
  sigVerify: false,
  replaceRecentBlockhash: false,
  commitment: 'confirmed',
}

/** Simulates with a fake node, which can also answer what no real node does. */
async function run(reply: () => unknown, addresses?: string[]) {
  const calls: unknown[] = []
  const rpc = {
    call: async (method: string, params?: unknown[]) => (calls.push([method, params]), reply() as never),
  }
  return { simulation: await simulate(rpc, 'transaction', addresses), calls }
}

test.each([
  [undefined, CONFIG],
  [[], CONFIG],
  [['a', 'b'], { ...CONFIG, accounts: { encoding: 'base64', addresses: ['a', 'b'] } }],
])('a simulation asks for the accounts %j', async (addresses, config) => {
  const { calls } = await run(() => ({ value: { err: null } }), addresses)
  expect(calls).toEqual([['simulateTransaction', ['transaction', config]]])
})

const EMPTY = { logs: [], units: 0, accounts: [], preBalances: [] }
const full = { err: { InstructionError: [0, 'x'] }, logs: ['log'], accounts: [null], preBalances: [5] }

test.each<[string, unknown, object]>([
  ['everything', { ...full, unitsConsumed: 7 }, { ...full, units: 7 }],
  ['the error only', { err: null }, { err: null, ...EMPTY }],
  [
    'nothing for the rest',
    { err: 'x', logs: null, accounts: null, preBalances: null },
    { err: 'x', ...EMPTY },
  ],
])('a node that returns %s', async (_, value, expected) => {
  expect((await run(() => ({ value }))).simulation).toEqual(expected)
})

test('a message that the node refuses is a failed simulation, and other errors are those of the node', async () => {
  const failing = (error: Error) =>
    run(() => {
      throw error
    })
  const refused = await failing(new LedgerRpcError('rpc', 'invalid', { code: -32_602 }))
  expect(refused.simulation).toEqual({ err: 'SanitizeFailure', ...EMPTY })
  for (const error of [
    new LedgerRpcError('rpc', 'behind', { code: -32_005 }),
    new LedgerRpcError('timeout', 'no node'),
    new TypeError('broken'),
  ])
    await expect(failing(error)).rejects.toBe(error)
})
