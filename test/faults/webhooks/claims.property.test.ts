import * as fc from '../../support/property.ts'
import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { claimDue } from '../../../src/webhooks/claim-due.ts'
import { WORKER_LIMITS } from '../../../src/webhooks/limits.ts'
import { MAX_WEBHOOKS } from '../../../src/webhooks/queue.ts'
import type { Lane } from '../../../src/webhooks/slots.ts'
import { createWorkerConnection } from '../../../src/webhooks/worker-connection.ts'
import { queueErrors } from '../../support/webhooks/queue-errors.ts'
import { createWorkerWorld } from '../../support/webhooks/worker-world.ts'
import { perFile } from '../../support/lifetime.ts'

const world = perFile(() => createWorkerWorld())
const connection = perFile(() => {
  const { database, kysely } = world
  return createWorkerConnection({ orm: database.orm, kysely, onNotification: () => undefined })
})
afterEach(() => world.reset())

const limits = { ...WORKER_LIMITS, perEndpoint: 3, perSite: 6 }
const STATUSES = ['pending', 'retrying'] as const

/** Webhooks that are alike. */
const group = fc.record({
  webhooks: fc.integer({ min: 1, max: MAX_WEBHOOKS / 4 }),
  network: fc.integer({ min: 0, max: 3 }),
  /** One site for all of them, or a site for each. */
  site: fc.option(fc.integer({ min: 0, max: 3 })),
  responseMs: fc.constantFrom(null, 5, 5_000),
  state: fc.constantFrom('fast', 'failing', 'paused', 'probing'),
  waiting: fc.integer({ min: 1, max: 3 }),
  inFlight: fc.integer({ min: 0, max: 2 }),
  status: fc.constantFrom(...STATUSES),
})
type Group = typeof group extends fc.Arbitrary<infer Value> ? Value : never

async function insert(groups: readonly Group[]): Promise<void> {
  for (const [number, { state, site, inFlight, waiting, ...each }] of groups.entries()) {
    const pause = { fast: null, failing: null, paused: '1 hour', probing: '-1 second' }[state]
    // A webhook that fails or is paused has one attempt in flight at most.
    const running = state === 'fast' ? inFlight : state === 'failing' ? Math.min(inFlight, 1) : 0
    await sql`
      with created as (
        insert into webhook_subscriptions
          (id, wallet, network, url, site, event_types, secret_encrypted, response_ms, paused_until, connect_failures)
        select ${`${number}-`} || n, 'w' || n % 7, ${`network ${each.network}`}, 'http://h',
          ${site === null ? `own-${number}-` : `shared-${site}`} || ${site === null ? sql`n::text` : sql`''`},
          '{}', '', ${each.responseMs}::real, now() + ${pause}::interval, ${state === 'fast' ? 0 : 2}
        from generate_series(1, ${each.webhooks}::int) n returning id, network
      )
      insert into webhook_deliveries
        (subscription_id, network, event_id, event_type, body, status, next_attempt_at, lease_token, lease_until)
      select id, network, 'event ' || n, 'agent.updated', '{}', case when n <= ${running} then 'in_flight' else ${each.status} end,
        case when n > ${running} then now() end, case when n <= ${running} then 'token' end,
        case when n <= ${running} then now() + interval '35 seconds' end
      from created, generate_series(1, ${waiting + running}::int) n`.execute(world.kysely)
  }
}

interface InFlight {
  site: string
  webhook: string
  single: boolean
  count: number
}
const inFlight = async (finished: readonly string[]): Promise<InFlight[]> => {
  const { rows } = await sql<InFlight>`
    select s.site, s.id as webhook, s.connect_failures > 0 as single, count(*)::int as count
    from webhook_deliveries d join webhook_subscriptions s on s.id = d.subscription_id
    where d.status = 'in_flight' and d.id <> all(${finished}::text[]) group by s.id`.execute(world.kysely)
  return rows
}
const bySite = (rows: readonly InFlight[]): Map<string, number> => {
  const sums = new Map<string, number>()
  for (const { site, count } of rows) sums.set(site, (sums.get(site) ?? 0) + count)
  return sums
}

/** What can be claimed at any time: not that of paused webhooks. */
const due = async (): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from webhook_deliveries d join webhook_subscriptions s on s.id = d.subscription_id
    where d.status in ('pending', 'retrying') and (s.paused_until is null or s.paused_until <= now())`.execute(
    world.kysely,
  )
  return rows[0]!.count
}

/** A part of the deliveries in flight, as if their attempts had ended. */
const someInFlight = async (): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    select id from webhook_deliveries where status = 'in_flight' and hashtext(id) % 2 = 0`.execute(
    world.kysely,
  )
  return rows.map(({ id }) => id)
}

/** Claims like a worker whose attempts all end before the next claim. Returns the claims. */
async function drain(free: { fast: number; slow: number }): Promise<number> {
  const after = { pending: '', retrying: '' }
  for (let round = 1; round <= 1_000; round += 1) {
    let started = 0
    for (const status of STATUSES) {
      const finished = await someInFlight()
      const before = bySite(await inFlight(finished))
      const slots = { all: (lane: Lane) => free[lane], free: (lane: Lane) => free[lane] }
      const options = { status, slots, after: after[status], limits, finished, random: Math.random }
      const result = await claimDue(connection, options)
      after[status] = result.next
      started += result.claims.length
      for (const lane of ['fast', 'slow'] as const)
        expect(result.claims.filter((each) => each.lane === lane).length).toBeLessThanOrEqual(free[lane])
      expect(await queueErrors(world.kysely)).toEqual([])
      const rows = await inFlight(finished)
      const reserved = status === 'pending' ? 1 : 0
      for (const { single, count } of rows) expect(count).toBeLessThanOrEqual(single ? 1 : limits.perEndpoint)
      const grown = [...bySite(rows)].filter(([site, count]) => count > (before.get(site) ?? 0))
      for (const [, count] of grown) expect(count).toBeLessThanOrEqual(limits.perSite - reserved)
    }
    // All attempts end: probes succeed, too.
    await sql`update webhook_deliveries set status = 'success', completed_at = now(), lease_token = null, lease_until = null
      where status = 'in_flight'`.execute(world.kysely)
    await sql`update webhook_subscriptions set paused_until = null, connect_failures = 0
      where paused_until < now() + interval '30 minutes'`.execute(world.kysely)
    if (started === 0 && (await due()) === 0) return round
  }
  return Infinity
}

test('claims exceed no limit and start everything that is due', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(group, { minLength: 1, maxLength: 4 }),
      fc.constantFrom({ fast: 200, slow: 60 }, { fast: 8, slow: 4 }),
      async (groups, free) => {
        await insert(groups)
        const total = await due()
        // A round starts one delivery or more, if any is due.
        expect(await drain(free)).toBeLessThanOrEqual(total + 5)
        await world.kysely.deleteFrom('webhook_subscriptions').execute()
      },
    ),
    { numRuns: 10, endOnFailure: true },
  )
})
