import { expect, test } from 'vitest'
import { createSlots } from '../../../src/webhooks/slots.ts'
import { WORKER_LIMITS } from '../../../src/webhooks/limits.ts'

test('first attempts and retries share the slots of their lane', async () => {
  const slots = createSlots({ ...WORKER_LIMITS, concurrency: 8 }, () => undefined)
  const ended = Promise.withResolvers<void>()
  for (const status of ['retrying', 'retrying', 'retrying', 'pending'] as const)
    slots.start('fast', status, () => ended.promise)
  expect([slots.inFlight('fast'), slots.inFlight('slow')]).toEqual([4, 0])
  expect([slots.free('fast', 'pending'), slots.free('fast', 'retrying')]).toEqual([4, 1])
  ended.resolve()
  await slots.onIdle()
  expect([slots.inFlight('fast'), slots.free('fast', 'pending')]).toEqual([0, 7])
})
