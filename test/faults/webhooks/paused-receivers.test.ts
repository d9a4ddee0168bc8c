import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { systemClock } from '../../../src/platform/clock.ts'
import { WORKER_LIMITS } from '../../../src/webhooks/limits.ts'
import { eventually } from '../../support/eventually.ts'
import { scaled } from '../../support/machine-speed.ts'
import { box, createWorkerWorld, SECRET } from '../../support/webhooks/worker-world.ts'
import { perFile } from '../../support/lifetime.ts'

const POLL_MS = scaled(2_000)
/** Less than the time until the next poll: the worker is woken. */
const MAX_LATENCY_MS = POLL_MS / 2

const world = perFile(() => createWorkerWorld())
afterEach(() => world.reset())

test('waiting deliveries of 300 paused webhooks neither keep the worker busy nor delay others', async () => {
  const secret = box.seal('hostile', SECRET)
  await sql`
    with created as (
      insert into webhook_subscriptions (id, wallet, network, url, site, event_types, secret_encrypted, paused_until, connect_failures)
      select gen_random_uuid()::text, 'hostile ' || n / 20, '203.0.113.' || n % 6, 'http://h', 'h' || n, '{}', ${secret},
        now() + interval '1 hour', 5
      from generate_series(1, 300) n returning id, network
    )
    insert into webhook_deliveries (subscription_id, network, event_id, event_type, body)
    select id, network, 'hostile', 'agent.updated', '{}' from created`.execute(world.kysely)
  let polls = 0
  const clock = {
    now: () => {
      polls += 1
      return systemClock.now()
    },
  }
  world.worker({ limits: { ...WORKER_LIMITS, pollMs: POLL_MS }, clock })
  await eventually(() => expect(polls).toBeGreaterThan(0))
  polls = 0
  await delay(2 * POLL_MS)
  expect(polls).toBeLessThan(5)

  // It rests, but others get their events at once, also at a new URL.
  const victim = await world.subscribe('/old', {
    wallet: 'victim',
    network: '198.51.100.1',
    site: 'victim.net',
  })
  await sql`update webhook_subscriptions set url = ${world.farm.url('/victim')} where id = ${victim}`.execute(
    world.kysely,
  )
  const latencies: number[] = []
  for (let event = 1; event <= 10; event += 1) {
    const committed = performance.now()
    await world.emit({})
    await eventually(() => expect(world.farm.receivedAt('/victim')).toHaveLength(event))
    latencies.push(world.farm.receivedAt('/victim').at(-1)!.at - committed)
  }
  // One may be longer, because the machine can pause.
  expect(latencies.toSorted((a, b) => a - b)[8]).toBeLessThan(MAX_LATENCY_MS)
})
