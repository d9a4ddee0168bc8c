import { createHmac, randomUUID } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../../src/platform/clock.ts'
import { WEBHOOK_EVENT_TYPES } from '../../../src/domain/webhook-events.ts'
import { createMetrics } from '../../../src/platform/metrics/metrics.ts'
import { startWebhookWorker } from '../../../src/compose/workers.ts'
import { createSecretBox } from '../../../src/webhooks/secret-box.ts'
import { pino } from 'pino'
import { causeEveryEvent } from '../../support/ledger/every-event.ts'
import { worldIndexer } from '../../support/ledger/indexer.ts'
import { addresses, createRegistryWorld } from '../../support/ledger/registry-world.ts'
import { kyselyOf, outboxOf } from '../../support/ledger/tables.ts'
import { createTestDatabase } from '../../support/database.ts'
import { useGuardedReceiver } from '../../support/guarded-receiver.ts'
import { perFile } from '../../support/lifetime.ts'

const HOST = 'receiver.example'
const SECRET = 'whsec_every'
const id = randomUUID()

const world = perFile(() => createRegistryWorld())
const database = perFile(createTestDatabase)
const guarded = useGuardedReceiver(HOST)
const indexer = perFile(() => worldIndexer(world, database.orm))
perFile(() =>
  startWebhookWorker({
    orm: database.orm,
    http: guarded.http,
    secretBox,
    indexer,
    clock: systemClock,
    logger: pino({ level: 'silent' }),
    metrics: createMetrics(),
  }),
)
const secretBox = createSecretBox([Buffer.alloc(32, 7)])
beforeAll(() =>
  kyselyOf(database.orm)
    .insertInto('webhook_subscriptions')
    .values({
      id,
      wallet: 'wallet',
      url: guarded.receiver.url('/hook', HOST),
      event_types: [...WEBHOOK_EVENT_TYPES],
      secret_encrypted: secretBox.seal(id, SECRET),
    })
    .execute(),
)

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
  const { requests, received } = guarded.receiver
  await received(expected.length)
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
