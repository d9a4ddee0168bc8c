import { beforeAll, expect, test } from 'vitest'
import { createIncidentWorld, type IncidentWorld, type Replica } from '../support/incident-world.ts'
import { idsReceived, subscribe } from '../support/webhook-clients.ts'
import { scaled } from '../../support/machine-speed.ts'
import { perFile } from '../../support/lifetime.ts'

const SOON = { timeout: scaled(40_000), interval: 100 }

const incident = perFile(() => createIncidentWorld())
let api: Replica
let worker: Replica
let ada: Awaited<ReturnType<IncidentWorld['world']['wallet']>>

beforeAll(async () => {
  ada = await incident.world.wallet('Ada')
  worker = await incident.start({ ROLES: 'indexer,webhooks' })
  api = await incident.start({ ROLES: 'api' })
  await subscribe(api.url, incident.receiver.url('/0'), 'owner', ada.agent)
})

const statusOf = async (path: string): Promise<number> => (await fetch(`${api.url}${path}`)).status

test('while the database is down, responses are 503 with Retry-After, alerts and /ready report it, and service resumes afterwards', async () => {
  await expect.poll(() => statusOf('/ready'), SOON).toBe(200)
  await incident.stopDatabase()
  await expect.poll(() => statusOf('/agents'), SOON).toBe(503)
  const refused = await fetch(`${api.url}/agents`)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
  // The result of a check is shared for a second.
  await expect.poll(() => statusOf('/ready'), SOON).toBe(503)
  expect(await statusOf('/health')).toBe(200)
  expect(
    await api.metric(
      'gateway_http_request_duration_seconds_count{method="GET",route="/agents",status="503"}',
    ),
  ).toBeGreaterThan(1)
  await incident.world.report(ada.agent, 1)
  await expect.poll(() => worker.metric('gateway_indexer_failing'), SOON).toBe(1)

  await incident.startDatabase()
  await expect.poll(() => statusOf('/agents'), SOON).toBe(200)
  await expect.poll(() => statusOf('/ready'), SOON).toBe(200)
  await expect.poll(() => idsReceived(incident.receiver).size, SOON).toBe(1)
  await incident.world.report(ada.agent, 1)
  await expect.poll(() => idsReceived(incident.receiver).size, SOON).toBe(2)
  expect(incident.receiver.requests).toHaveLength(2)
  await expect.poll(() => worker.metric('gateway_indexer_failing'), SOON).toBe(0)
  expect(await api.cli('audit')).toMatchObject({ code: 0 })
})
