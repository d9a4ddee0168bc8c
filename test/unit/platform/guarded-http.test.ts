import { afterAll, beforeAll, expect, test } from 'vitest'
import { createNetMetrics } from '../../../src/platform/net/connector.ts'
import { createGuardedHttp, type GuardedHttp } from '../../../src/platform/net/guarded-http.ts'
import { createMetrics } from '../../../src/platform/metrics/metrics.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'
import { createTestCa, type TestCa } from '../../support/tls.ts'

const HOST = 'receiver.example'
const metrics = createMetrics()
let ca: TestCa
let receiver: Receiver
let http: GuardedHttp

const fakeLookup = async (): Promise<string[]> => ['127.0.0.1']

beforeAll(async () => {
  ca = await createTestCa()
  receiver = await startReceiver({ tls: await ca.issue([HOST]) })
  http = createGuardedHttp({
    devMode: false,
    allowedPorts: [receiver.port],
    allowCidrs: ['127.0.0.1/32'],
    extraCa: ca.pem,
    lookup: fakeLookup,
    metrics: createNetMetrics(metrics),
  })
})

afterAll(async () => {
  await http.close()
  await receiver.close()
})

test('connections are reused, and opened and reused ones are counted', async () => {
  receiver.respondWith({ body: 'ok' })
  for (let i = 0; i < 10; i += 1) await http.post(receiver.url('/', HOST), { headers: {}, body: 'x' })
  const counted = async (name: string): Promise<number> =>
    Number(new RegExp(`^gateway_net_sockets_${name}_total (\\d+)$`, 'm').exec(await metrics.metrics())?.[1])
  expect(receiver.connections).toBeLessThan(receiver.requests.length)
  expect(await counted('opened')).toBe(receiver.connections)
  expect(await counted('reused')).toBe(receiver.requests.length - receiver.connections)
})
