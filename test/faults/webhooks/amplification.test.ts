import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { RETRY_SCHEDULE } from '../../../src/webhooks/limits.ts'
import { createTestApp, everyRateLimit } from '../../support/app.ts'
import { eventually } from '../../support/eventually.ts'
import { type TestWallet, walletOf } from '../../support/wallet.ts'
import { noResponse, ok, status } from '../../support/webhooks/receiver-farm.ts'
import { createWorkerWorld, senderWithin } from '../../support/webhooks/worker-world.ts'
import * as fc from '../../support/property.ts'
import { perFile } from '../../support/lifetime.ts'

const SENDS = 30
const LIMITS = { ...everyRateLimit(100_000), sends: SENDS }
const owner = walletOf('owner')

let now = Date.now()
const world = perFile(() => createWorkerWorld())
const t = perFile(() =>
  createTestApp({
    database: world.database,
    webhookDevMode: true,
    rateLimits: LIMITS,
    clock: { now: () => now },
  }),
)
beforeEach(() => sql`delete from rate_limits`.execute(world.kysely))
afterEach(() => world.reset())

interface Caller {
  wallet?: TestWallet
  ip?: string
}

async function call(
  method: 'POST' | 'PATCH',
  url: string,
  payload: object = {},
  { wallet = owner, ip = '203.0.113.1' }: Caller = {},
) {
  now += 1_000
  const headers = wallet.headers(method, url, now)
  const response = await t.app.inject({ method, url, payload, headers, remoteAddress: ip })
  return { status: response.statusCode, body: response.json(), headers: response.headers }
}

async function subscribe(path: string, caller: Caller = {}): Promise<string> {
  const input = { url: world.farm.url(path), eventTypes: ['agent.updated'] }
  const { body } = await call('POST', '/webhooks', input, caller)
  return body.id as string
}

const since = (): string => new Date(now - 86_400_000).toISOString()
const recover = (id: string, caller: Caller = {}) =>
  call('POST', `/webhooks/${id}/recover`, { since: since() }, caller)
const statuses = async (id: string): Promise<string[]> =>
  (await world.deliveries(id)).map((row) => row.status).toSorted()
const idle = (id: string, expected: string, count: number) =>
  eventually(async () => expect(await statuses(id)).toEqual(Array(count).fill(expected)))

test('a loop of disabling, enabling and recovering sends no more requests than it is charged for', async () => {
  const id = await subscribe('/loop')
  world.farm.respond('/loop', status(500))
  await world.emit(...Array.from({ length: 10 }, () => ({})))
  world.worker()
  await idle(id, 'retrying', 10)
  const natural = world.farm.receivedAt('/loop').length
  let charged = 0
  const refusals: { error: string; seconds: number }[] = []
  for (let i = 0; i < 12; i += 1) {
    await call('PATCH', `/webhooks/${id}`, { active: false })
    await call('PATCH', `/webhooks/${id}`, { active: true })
    const { status: code, body, headers } = await recover(id)
    if (code === 429) {
      // All units are used. On a slow machine, some would return in the other rounds.
      if (refusals.length === 0)
        await sql`update rate_limits set arrival = arrival + 3600000 where kind = 'sends'`.execute(
          world.kysely,
        )
      refusals.push({ error: body.error as string, seconds: Number(headers['retry-after']) })
      continue
    }
    charged += body.recovered as number
    await eventually(() => expect(world.farm.receivedAt('/loop')).toHaveLength(natural + charged))
    await eventually(async () => expect(await statuses(id)).not.toContain('in_flight'))
  }
  expect(natural).toBe(10)
  expect(charged).toBeGreaterThanOrEqual(SENDS)
  expect(charged).toBeLessThan(SENDS + 10)
  expect(refusals.length).toBeGreaterThan(3)
  for (const { error, seconds } of refusals) {
    expect(error).toContain(`the limit is ${SENDS} per minute`)
    expect(seconds).toBeGreaterThan(0)
  }
  expect(world.farm.receivedAt('/loop')).toHaveLength(natural + charged)
})

const steps = ['disable', 'enable', 'recover', 'resend', 'ping', 'wait', 'succeed', 'fail'] as const
const plan = fc.array(fc.constantFrom(...steps), { minLength: 20, maxLength: 20 })

test('whatever a wallet does, it causes no more requests than it is charged for, beside the schedule of each event', async () => {
  await fc.assert(
    fc.asyncProperty(plan, async (plan) => {
      await world.reset()
      await sql`delete from rate_limits`.execute(world.kysely)
      const id = await subscribe('/any')
      world.worker()
      await world.emit({}, {}, {})
      await world.quiet()
      let charged = 0
      for (const step of plan) {
        const [delivery] = await world.deliveries(id)
        if (step === 'disable' || step === 'enable')
          await call('PATCH', `/webhooks/${id}`, { active: step === 'enable' })
        else if (step === 'recover')
          charged += ((await recover(id)).body.recovered as number | undefined) ?? 0
        else if (step === 'wait') await world.expire()
        else if (step === 'succeed' || step === 'fail')
          world.farm.respond('/any', step === 'succeed' ? ok : status(500))
        else {
          const path = step === 'ping' ? 'ping' : `deliveries/${delivery!.id}/resend`
          if ((await call('POST', `/webhooks/${id}/${path}`)).status === 202) charged += 1
        }
        await world.quiet()
      }
      for (let attempt = 0; attempt < RETRY_SCHEDULE.length; attempt += 1) {
        await world.expire()
        await world.quiet()
      }
      const attempts = Map.groupBy(await world.attempts(id), (each) => each.delivery_id)
      const scheduled = (await world.deliveries(id)).map((delivery) => {
        if (delivery.event_type === 'ping') return 0
        const first = attempts.get(delivery.id)!.findIndex(({ outcome }) => outcome === 'success')
        return first < 0 ? RETRY_SCHEDULE.length : Math.min(first + 1, RETRY_SCHEDULE.length)
      })
      const allowed = charged + scheduled.reduce((sum, each) => sum + each, 0)
      expect(world.farm.receivedAt('/any').length).toBeLessThanOrEqual(allowed)
    }),
    { numRuns: 10 },
  )
})

test('a recovery takes as many deliveries as the allowance has left, and says that there are more', async () => {
  const id = await subscribe('/partly')
  world.farm.respond('/partly', status(500))
  await world.emit(...Array.from({ length: SENDS + 10 }, () => ({})))
  await sql`update webhook_deliveries set status = 'failed', next_attempt_at = null, completed_at = now(),
    attempt_count = 10, retry_step = 10`.execute(world.kysely)
  expect((await recover(id)).body).toEqual({ recovered: SENDS, more: true })
  world.worker()
  // They had used all their attempts, so each gets one attempt and no retries.
  await idle(id, 'failed', SENDS + 10)
  expect(world.farm.receivedAt('/partly')).toHaveLength(SENDS)
})

test('new wallets of the same network, and new networks of the same wallet, get no more sends', async () => {
  const [other, third] = [walletOf('other'), walletOf('third')]
  const id = await subscribe('/a')
  const otherId = await subscribe('/b', { wallet: other })
  const thirdId = await subscribe('/c', { wallet: third, ip: '203.0.113.99' })
  const ping = async (webhook: string, caller: Caller): Promise<number> =>
    (await call('POST', `/webhooks/${webhook}/ping`, {}, caller)).status
  const { rows: begin } = await sql<{ ms: number }>`
    select extract(epoch from clock_timestamp())::float8 * 1000 as ms`.execute(world.kysely)
  const pings = await Promise.all(Array.from({ length: SENDS }, () => ping(id, {})))
  expect(pings).toEqual(Array(SENDS).fill(202))
  // All units are used. The next one, which returns after two seconds, returns an hour later.
  const { rows: used } = await sql<{ ms: number }>`
    update rate_limits set arrival = arrival + 3600000 where kind = 'sends'
    returning arrival - 3600000 as ms`.execute(world.kysely)
  expect(used).toHaveLength(2)
  for (const { ms } of used) expect(ms).toBeGreaterThanOrEqual(begin[0]!.ms + 60_000)
  const [first] = await world.deliveries(id)
  expect(await ping(id, { ip: '203.0.113.2' })).toBe(429)
  expect(await ping(otherId, { wallet: other })).toBe(429)
  expect((await call('POST', `/webhooks/${id}/deliveries/${first!.id}/resend`)).status).toBe(429)
  expect((await recover(id)).body).toEqual({ recovered: 0, more: false })
  expect(await ping(thirdId, { wallet: third, ip: '203.0.113.99' })).toBe(202)
})

test('a ping is sent once', async () => {
  const id = await subscribe('/pinged')
  world.farm.respond('/pinged', status(500))
  await call('POST', `/webhooks/${id}/ping`)
  world.worker()
  await idle(id, 'failed', 1)
  expect(world.farm.receivedAt('/pinged')).toHaveLength(1)
})

test('a resent delivery keeps its place in the retry schedule', async () => {
  const id = await subscribe('/resent')
  world.farm.respond('/resent', status(500))
  await world.emit({})
  await sql`update webhook_deliveries set status = 'failed', next_attempt_at = null, completed_at = now(),
    attempt_count = 10, retry_step = 10`.execute(world.kysely)
  const [delivery] = await world.deliveries(id)
  const { status: code, body } = await call('POST', `/webhooks/${id}/deliveries/${delivery!.id}/resend`)
  // Only a first attempt to a slow receiver has less time.
  expect([code, body.status]).toEqual([202, 'retrying'])
  world.worker()
  await eventually(() => expect(world.farm.receivedAt('/resent')).toHaveLength(1))
  await idle(id, 'failed', 1)
})

test('a new URL gets nothing of the backlog, also not the retry of an attempt in flight', async () => {
  const id = await subscribe('/own')
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>()
  let inFlight = 0
  world.farm.respond('/own', (request, response) => {
    const turn = inFlight++ === 0 ? isReleased : Promise.resolve()
    void turn.then(() => status(500)(request, response))
  })
  await world.emit({}, {}, {}, {})
  world.worker({ limits: { pollMs: 20 } })
  await eventually(async () =>
    expect(await statuses(id)).toEqual(['in_flight', 'retrying', 'retrying', 'retrying']),
  )
  await call('PATCH', `/webhooks/${id}`, { url: world.farm.url('/own') })
  expect(await statuses(id)).toContain('retrying')
  expect((await call('PATCH', `/webhooks/${id}`, { url: world.farm.url('/victim') })).status).toBe(200)
  expect(await statuses(id)).toEqual(['cancelled', 'cancelled', 'cancelled', 'in_flight'])
  // The attempt at the old URL ends without effect on the delivery and on the health of the new
  // one.
  release()
  await eventually(async () => expect(await world.attempts(id)).toHaveLength(4))
  expect(await statuses(id)).toEqual(Array(4).fill('cancelled'))
  expect(await world.subscription(id)).toMatchObject({ failing_since: null, connect_failures: 0 })
  await world.expire()
  const [later] = await world.emit({})
  await eventually(() => expect(world.farm.receivedAt('/victim')).toHaveLength(1))
  expect(world.farm.receivedAt('/victim')[0]?.event.id).toBe(later)
})

test('attempts in flight to old URLs still count against the limits', async () => {
  const id = await subscribe('/hangs')
  world.farm.respond('/hangs', noResponse)
  world.farm.respond('/hangs-too', noResponse)
  world.worker({ send: senderWithin(60_000), limits: { deadlineMs: 60_000, leaseMs: 90_000, pollMs: 20 } })
  for (let change = 0; change < 4; change += 1) {
    await world.emit({}, {}, {}, {})
    await eventually(async () => expect(await statuses(id)).toContain('in_flight'))
    const path = change % 2 === 0 ? '/hangs-too' : '/hangs'
    await call('PATCH', `/webhooks/${id}`, { url: world.farm.url(path) })
  }
  const inFlight = (await statuses(id)).filter((status) => status === 'in_flight')
  expect(inFlight.length).toBeLessThanOrEqual(4)
  expect(world.farm.received.length).toBeLessThanOrEqual(4)
})

test('a delivery whose worker crashed during a change of the URL is cancelled', async () => {
  const id = await subscribe('/crashed')
  await world.emit({})
  await sql`update webhook_deliveries set status = 'in_flight', lease_token = 'crashed', next_attempt_at = null,
    claim_count = 1, lease_until = now() + interval '1 hour'`.execute(world.kysely)
  await call('PATCH', `/webhooks/${id}`, { url: world.farm.url('/victim') })
  await sql`update webhook_deliveries set lease_until = now()`.execute(world.kysely)
  world.worker()
  await idle(id, 'cancelled', 1)
  expect(world.farm.received).toHaveLength(0)
})

test('a change of the URL cancels a backlog of any size, whatever PostgreSQL believes about the tables', async () => {
  const id = await subscribe('/large')
  const insert = (prefix: string, count: number) =>
    sql`insert into webhook_deliveries (subscription_id, event_id, event_type, next_attempt_at)
      select ${id}, ${prefix} || i, 'agent.updated', now() - i * interval '1 second'
      from generate_series(1, ${sql.lit(count)}) i`.execute(world.kysely)
  await insert('old_', 2_000)
  await sql`update webhook_deliveries set status = 'success', next_attempt_at = null,
    completed_at = now()`.execute(world.kysely)
  // The statistics of a moment: all deliveries are finished, and the queue is long.
  await sql`analyze webhook_deliveries`.execute(world.kysely)
  await insert('evt_', 12_000)
  await sql`analyze webhook_queue`.execute(world.kysely)
  const { status } = await call('PATCH', `/webhooks/${id}`, { url: world.farm.url('/victim') })
  expect(status).toBe(200)
  const { rows } = await sql`select status, count(*)::integer from webhook_deliveries
    group by status order by status`.execute(world.kysely)
  expect(rows).toEqual([
    { status: 'cancelled', count: 12_000 },
    { status: 'success', count: 2_000 },
  ])
})
