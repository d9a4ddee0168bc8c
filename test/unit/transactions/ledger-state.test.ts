import { expect, test } from 'vitest'
import type { LedgerCalls } from '../../../src/ledger/rpc/ledger-rpc.ts'
import { createSlotTime } from '../../../src/ledger/rpc/ledger-probe.ts'
import { LedgerRpcError } from '../../../src/ledger/rpc/rpc-error.ts'
import { createLedgerState } from '../../../src/transactions/ledger-state.ts'

const MINUTE = 60_000

function scripted() {
  const node = { epoch: 1, lamportsPerByte: 5_080, samples: [] as object[] | null, rentCalls: 0, now: 0 }
  const rpc: LedgerCalls = {
    call: async <T>(method: string, [bytes]: unknown[] = []): Promise<T> => {
      if (method === 'getEpochInfo') return { absoluteSlot: 9, blockHeight: 8, epoch: node.epoch } as T
      if (method === 'getRecentPerformanceSamples') {
        if (node.samples === null) throw new LedgerRpcError('rpc', 'Method not found', { code: -32601 })
        return node.samples as T
      }
      node.rentCalls += 1
      return ((128 + Number(bytes)) * node.lamportsPerByte) as T
    },
  }
  return { node, rpc, clock: { now: () => node.now } }
}

test('rent is read once in minutes, and again after an epoch change', async () => {
  const { node, rpc, clock } = scripted()
  const state = createLedgerState(rpc, clock)
  expect(await state.rentExemption(421)).toBe(549n * 5_080n)
  node.lamportsPerByte = 696
  expect(await state.rentExemption(165)).toBe(293n * 5_080n)
  expect(node.rentCalls).toBe(1)
  node.epoch = 2
  node.now += 2_000
  expect(await state.rentExemption(421)).toBe(549n * 696n)
  expect(node.rentCalls).toBe(2)
  node.lamportsPerByte = 700
  node.now += 6 * MINUTE
  expect(await state.rentExemption(0)).toBe(128n * 700n)
})

test('the length of a slot is what the node measured lately', async () => {
  const { node, rpc, clock } = scripted()
  node.samples = [
    { numSlots: 190, samplePeriodSecs: 60 },
    { numSlots: 210, samplePeriodSecs: 60 },
  ]
  const slotTime = createSlotTime(rpc, clock)
  expect(await slotTime.get()).toBe(0.3)
  node.samples = [{ numSlots: 60, samplePeriodSecs: 60 }]
  node.now += 11 * MINUTE
  expect(await slotTime.get()).toBe(1)
})

test.each([[[]], [null]])('a node without samples (%j) is no error', async (samples) => {
  const { node, rpc, clock } = scripted()
  node.samples = samples
  expect(await createSlotTime(rpc, clock).get()).toBe(0.4)
})
