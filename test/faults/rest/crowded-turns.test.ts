import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { MAX_TURN_WAIT_MS, QUEUE_DELAY_MS } from '../../../src/platform/overload/admission.ts'
import { createTestApp } from '../../support/app.ts'
import { perFile } from '../../support/lifetime.ts'

const t = perFile(() => createTestApp({ overload: { inFlight: 1_000 } }))

test('requests that wait too long for a turn of their network are refused, except for signed ones', async () => {
  const send = (count: number, url: string, headers: Record<string, string> = {}) =>
    Array.from({ length: count }, async () => (await t.app.inject({ url, headers })).statusCode)
  const early = send(16, '/agents')
  const late = [...send(50, '/agents'), ...send(1, '/webhooks'), ...send(1, '/ready')]
  await turn()
  const end = performance.now() + QUEUE_DELAY_MS + MAX_TURN_WAIT_MS
  while (performance.now() < end);
  expect(new Set(await Promise.all(early))).toEqual(new Set([200]))
  const statuses = await Promise.all(late)
  expect(statuses.slice(0, 50)).toContain(503)
  // Without a signature, a signed request is 401, not 503. Probes are never refused.
  expect(statuses.slice(50)).toEqual([401, 200])
  expect(await t.metrics.getSingleMetricAsString('gateway_requests_shed_total')).toContain('turn_delay')
  expect((await t.app.inject('/agents')).statusCode).toBe(200)
})
