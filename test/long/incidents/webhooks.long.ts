import { beforeAll, expect, test } from 'vitest'
import { registryInstruction } from '@agent-registry/program'
import { verifyWebhook } from '../../../examples/verify-webhook.ts'
import { type AgentWallet, keyOf, programId } from '../../support/ledger/registry-world.ts'
import { createIncidentWorld, type Replica } from '../support/incident-world.ts'
import { idsReceived, rotateSecret, type Subscribed, subscribe } from '../support/webhook-clients.ts'
import { scaled } from '../../support/machine-speed.ts'
import { perFile } from '../../support/lifetime.ts'

const SOON = { timeout: scaled(120_000), interval: 200 }
const WEBHOOKS = 8
const REPORTS = 20
const RESPONSE_MS = 600
const OLD = '05'.repeat(32)
const NEW = '06'.repeat(32)
/** Too few slots for the load. */
const SMALL = { concurrency: 4 }

const incident = perFile(() => createIncidentWorld())
let api: Replica
let worker: Replica
let ada: AgentWallet
const webhooks: Subscribed[] = []

beforeAll(async () => {
  ada = await incident.world.wallet('Ada')
  api = await incident.start({ ROLES: 'api,indexer' })
  worker = await incident.start({ ROLES: 'webhooks' }, SMALL)
  for (let i = 0; i < WEBHOOKS; i += 1)
    webhooks.push(await subscribe(api.url, incident.receiver.url(`/${i}`), `owner ${i}`, ada.agent))
})

async function report(count: number): Promise<void> {
  const { reporter } = incident.world
  const instructions = Array.from({ length: count }, (_, i) =>
    registryInstruction(
      programId,
      'report_behavior',
      { authority: keyOf(reporter), agent: ada.agent },
      { delta: i % 2 === 0 ? 1 : -1, reason: 1 },
    ),
  )
  await incident.world.transact(instructions, [reporter])
}

test('a backlog of webhooks shows in the metrics of the alerts and in stats, and a second worker clears it', async () => {
  incident.receiver.respondWith((_, response) => void setTimeout(() => response.end(), RESPONSE_MS))
  await report(REPORTS / 2)
  await report(REPORTS / 2)
  await expect
    .poll(() => worker.metric('gateway_webhooks_waiting_deliveries{status="pending"}'), SOON)
    .toBeGreaterThan(WEBHOOKS)
  expect(await worker.metric('gateway_webhooks_due_age_seconds{status="pending"}')).toBeGreaterThan(0)
  expect((await worker.cli('webhooks', 'stats')).stdout).toMatch(/deliveries: pending [1-9]/)

  const second = await incident.start({ ROLES: 'webhooks' })
  let reports = REPORTS
  // On a busy machine the first worker can finish before the second one has started.
  await expect
    .poll(async () => {
      await report(1)
      reports += 1
      return (await second.metric('gateway_webhooks_attempts_total')) ?? 0
    }, SOON)
    .toBeGreaterThan(0)
  await expect.poll(() => incident.receiver.requests.length, SOON).toBe(WEBHOOKS * reports)
  expect(idsReceived(incident.receiver).size).toBe(reports)
  for (const each of [worker, second]) {
    await expect
      .poll(() => each.metric('gateway_webhooks_waiting_deliveries{status="pending"}'), SOON)
      .toBe(0)
    expect(await each.metric('gateway_webhooks_due_age_seconds{status="pending"}')).toBe(0)
  }
  await second.remove()
})

test('WEBHOOK_SECRETS_KEY=NEW,OLD decrypts all secrets, and NEW alone is refused until all are rotated', async () => {
  incident.receiver.respondWith({ status: 200 })
  const both = { WEBHOOK_SECRETS_KEY: `${NEW},${OLD}` }
  for (const each of [worker, api]) await each.restart(both)
  await verified((webhook) => webhook.secret)
  await expect(incident.start({ ROLES: 'webhooks', WEBHOOK_SECRETS_KEY: NEW })).rejects.toThrow(
    /ended with code 1.*WEBHOOK_SECRETS_KEY/s,
  )

  const rotated = new Map<string, string>()
  for (const [i, { id }] of webhooks.entries())
    rotated.set(id, (await rotateSecret(api.url, id, `owner ${i}`)).secret)
  for (const each of [worker, api]) await each.restart({ WEBHOOK_SECRETS_KEY: NEW })
  await verified((webhook) => rotated.get(webhook.id) ?? '')
})

/** Checks that one more event arrives at each webhook, signed with its secret. */
async function verified(secretOf: (webhook: Subscribed) => string): Promise<void> {
  const before = incident.receiver.requests.length
  await report(1)
  await expect.poll(() => incident.receiver.requests.length, SOON).toBe(before + WEBHOOKS)
  for (const { path, headers, body } of incident.receiver.requests.slice(before)) {
    const webhook = webhooks[Number(path.slice(1))]
    if (webhook === undefined) throw new Error(`no webhook has the path ${path}`)
    expect(() => verifyWebhook(body, headers, secretOf(webhook))).not.toThrow()
  }
}
