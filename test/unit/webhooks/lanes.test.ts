import { expect, test } from 'vitest'
import { createLanes } from '../../../src/webhooks/worker/lanes.ts'
import { WORKER_LIMITS } from '../../../src/webhooks/limits.ts'

test('first attempts and retries share the slots of their lane', async () => {
  const lanes = createLanes({ ...WORKER_LIMITS, concurrency: 8 }, () => undefined)
  const ended = Promise.withResolvers<void>()
  for (const status of ['retrying', 'retrying', 'retrying', 'pending'] as const)
    lanes.start('fast', status, () => ended.promise)
  expect([lanes.inFlight('fast'), lanes.inFlight('slow')]).toEqual([4, 0])
  expect([lanes.free('fast', 'pending'), lanes.free('fast', 'retrying')]).toEqual([4, 1])
  ended.resolve()
  await lanes.onIdle()
  expect([lanes.inFlight('fast'), lanes.free('fast', 'pending')]).toEqual([0, 7])
})
