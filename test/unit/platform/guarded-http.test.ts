import { expect, test } from 'vitest'
import { createNetMetrics } from '../../../src/platform/net/connector.ts'
import { createMetrics } from '../../../src/platform/metrics/metrics.ts'
import { useGuardedReceiver } from '../../support/guarded-receiver.ts'

const HOST = 'receiver.example'
const metrics = createMetrics()
const guarded = useGuardedReceiver(HOST, { metrics: createNetMetrics(metrics) })

test('connections are reused, and opened ones are counted', async () => {
  const { receiver, http } = guarded
  receiver.respondWith({ body: 'ok' })
  for (let i = 0; i < 10; i += 1) await http.post(receiver.url('/', HOST), { headers: {}, body: 'x' })
  expect(receiver.connections).toBeLessThan(receiver.requests.length)
  expect(await metrics.metrics()).toMatch(
    new RegExp(`^gateway_net_sockets_opened_total ${receiver.connections}$`, 'm'),
  )
})
