import { createHmac, randomUUID } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../../src/platform/clock.ts'
import { WEBHOOK_EVENT_TYPES } from '../../../src/domain/webhook-events.ts'
import type { Indexer } from '../../../src/ledger/indexer/indexer.ts'
import { createMetrics } from '../../../src/platform/metrics/metrics.ts'
import { createGuardedHttp, type GuardedHttp } from '../../../src/platform/net/guarded-http.ts'
import { startWebhookWorker } from '../../../src/compose/workers.ts'
import { createSecretBox } from '../../../src/webhooks/secret-box.ts'
import type { WebhookWorker } from '../../../src/webhooks/worker.ts'
import { pino } from 'pino'
import { causeEveryEvent } from '../../support/ledger/every-event.ts'
import { worldIndexer } from '../../support/ledger/indexer.ts'
import { addresses, createRegistryWorld, type RegistryWorld } from '../../support/ledger/registry-world.ts'
import { kyselyOf, outboxOf } from '../../support/ledger/tables.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'
import { createTestCa } from '../../support/tls.ts'

const HOST = 'receiver.example'
const SECRET = 'whsec_every'
const fakeLookup = async (): Promise<string[]> => ['127.0.0.1']

let world: RegistryWorld
let database: TestDatabase
let receiver: Receiver
let http: GuardedHttp
let indexer: Indexer
let worker: WebhookWorker
const id = randomUUID()

beforeAll(async () => {
  const ca = await createTestCa()
  ;[world, database, receiver] = await Promise.all([
    createRegistryWorld(),
    createTestDatabase(),
    startReceiver({ tls: await ca.issue([HOST]) }),
  ])
  http = createGuardedHttp({
    devMode: false,
    allowedPorts: [receiver.port],
    allowCidrs: ['127.0.0.1/32'],
    extraCa: ca.pem,
    lookup: fakeLookup,
  })
  const secretBox = createSecretBox([Buffer.alloc(32, 7)])
  await kyselyOf(database.orm)
    .insertInto('webhook_subscriptions')
    .values({
      id,
      wallet: 'wallet',
      url: receiver.url('/hook', HOST),
      event_types: [...WEBHOOK_EVENT_TYPES],
      secret_encrypted: secretBox.seal(id, SECRET),
    })
    .execute()
  const { orm } = database
  indexer = worldIndexer(world, orm)
  const logger = pino({ level: 'silent' })
  worker = startWebhookWorker({
    orm,
    http,
    secretBox,
    indexer,
    clock: systemClock,
    logger,
    metrics: createMetrics(),
  })
})
afterAll(async () => {
  await worker.stop()
  await indexer.stop()
  await http.close()
  await receiver.close()
  await database.drop()
  await world.close()
})

test('each event type arrives once, signed, at a TLS receiver', async () => {
  const a = await causeEveryEvent(world)
  const stakePda = addresses.stake(a.agent)
  await indexer.whenIdle()

  const stake = (amount: number, depositedAmount: number, pendingWithdrawal: number) => ({
    stakePda,
    amount,
    depositedAmount,
    lockedAmount: 0,
    pendingWithdrawal,
  })
  const tier = (previousTier: string, newTier: string, stakeAmount: number) => ({
    previousTier,
    newTier,
    stakeAmount,
  })
  const changed = (previousStatus: string, newStatus: string, status: string) => ({
    previousStatus,
    newStatus,
    status,
  })
  const M = 600_000_000
  // In the order of the instructions. `data` also has agentPda and owner.
  const expected: [type: string, data: object][] = [
    [
      'agent.registered',
      {
        name: 'Ada',
        tier: 'observer',
        status: 'active',
        serviceCategory: 'research',
        reputationScore: 250,
        capabilities: 0,
        version: '',
        agentCardUrl: 'https://agents.example.org/card.json',
        agentCardHash: '09'.repeat(32),
        createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    ],
    ['agent.updated', { changes: { version: { old: '', new: '2.0' } } }],
    ['agent.reputation_updated', { previousReputation: 250, newReputation: 262, delta: 12, reason: 1 }],
    ['stake.deposited', stake(M, M, 0)],
    ['agent.tier_updated', tier('observer', 'standard', M)],
    ['stake.withdrawal_requested', stake(M, M, M)],
    ['agent.tier_updated', tier('standard', 'observer', 0)],
    ['stake.withdrawal_cancelled', stake(M, M, 0)],
    ['agent.tier_updated', tier('observer', 'standard', M)],
    ['agent.status_changed', changed('active', 'inactive', 'suspended')],
    ['agent.suspended', { status: 'suspended', byAdmin: false }],
    ['agent.status_changed', changed('inactive', 'active', 'active')],
    ['agent.reactivated', { status: 'active', byAdmin: false }],
    ['stake.withdrawal_requested', stake(M, M, M)],
    ['agent.tier_updated', tier('standard', 'observer', 0)],
    ['stake.withdrawn', stake(M, 0, 0)],
    ['agent.status_changed', changed('active', 'inactive', 'deactivated')],
    ['agent.deactivated', { status: 'deactivated', finalReputation: 262 }],
    ['stake.closed', stake(0, 0, 0)],
    ['agent.closed', {}],
  ]
  await receiver.received(expected.length)
  const requests = receiver.requests
  const bodies = requests.map(
    ({ body }) =>
      JSON.parse(body.toString()) as Record<string, unknown> & { type: string; slot: number; id: string },
  )
  const outbox = await outboxOf(database.orm)
  const inOrder = outbox.map(({ id: event }) => bodies.find((body) => body.id === event))
  const subject = { agentPda: a.agent, owner: a.owner }
  expect(inOrder.map((body) => [body?.type, body?.data])).toEqual(
    expected.map(([type, data]) => [type, { ...subject, ...data }]),
  )
  expect(new Set(bodies.map(({ type }) => type))).toEqual(new Set(WEBHOOK_EVENT_TYPES))
  expect(requests).toHaveLength(expected.length)
  expect(new Set(bodies.map((body) => body.id)).size).toBe(expected.length)

  for (const { headers, body, method } of requests) {
    const parsed = JSON.parse(body.toString()) as object
    expect(Object.keys(parsed)).toEqual(['id', 'type', 'pda', 'slot', 'timestamp', 'data'])
    expect(parsed).toMatchObject({
      pda: a.agent,
      slot: expect.any(Number),
      timestamp: expect.stringMatching(/Z$/),
    })
    const timestamp = String(headers['x-service-timestamp'])
    expect(Math.abs(Number(timestamp) - Date.now() / 1000)).toBeLessThan(60)
    const signature = createHmac('sha256', SECRET).update(timestamp).update('.').update(body).digest('hex')
    expect(headers).toMatchObject({
      'x-service-signature': signature,
      'x-service-event': (parsed as { type: string }).type,
      'content-type': 'application/json',
      'webhook-id': (parsed as { id: string }).id,
    })
    expect(new Webhook(SECRET).verify(body.toString(), headers as Record<string, string>)).toEqual(parsed)
    expect(method).toBe('POST')
  }
  await expect
    .poll(async () =>
      (await kyselyOf(database.orm).selectFrom('webhook_deliveries').select('status').execute()).map(
        (row) => row.status,
      ),
    )
    .toEqual(expected.map(() => 'success'))
})
