import { randomInt, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { systemClock } from '../../../src/platform/clock.ts'
import { ATTEMPTS_SHOWN } from '../../../src/webhooks/deliveries.ts'
import { MAX_PINGS, pingWebhook, recoverDeliveries, resendDelivery } from '../../../src/webhooks/requests.ts'
import { deleteOldRows, EXCERPT } from '../../../src/webhooks/maintenance.ts'
import { MAX_EXCERPT } from '../../../src/webhooks/send.ts'
import { walletOf } from '../../support/wallet.ts'
import type { Responder } from '../../support/webhooks/receiver-farm.ts'
import { createWorkerWorld } from '../../support/webhooks/worker-world.ts'
import { perFile } from '../../support/lifetime.ts'

const world = perFile(() => createWorkerWorld())
afterEach(() => world.reset())

const caller = { wallet: walletOf('owner').pubkey, clientIp: '203.0.113.1' }
const dependencies = () => ({
  kysely: world.kysely,
  clock: systemClock,
  newId: randomUUID,
  sendLimit: null,
})

/** Characters of four bytes that cannot be compressed: the largest text that is stored. */
const large = (): string =>
  Array.from({ length: MAX_EXCERPT }, () => String.fromCodePoint(randomInt(0x10000, 0x110000))).join('')
const fails: Responder = (_, response) =>
  response.writeHead(500, { 'content-type': 'text/plain' }).end(large())

const yesterday = () => new Date(Date.now() - 86_400_000).toISOString()

/** What the tables contain: rows, and the bytes of the largest attempt. */
async function stored() {
  const { rows } = await sql<Record<'deliveries' | 'attempts' | 'largest', number>>`
    select (select count(*)::int from webhook_deliveries) as deliveries,
      (select count(*)::int from webhook_attempts) as attempts,
      (select max(pg_column_size(a.*))::int from webhook_attempts a) as largest`.execute(world.kysely)
  return rows[0]!
}

test('of the pings of a webhook, the newest are stored with their responses, and no others', async () => {
  const id = await world.subscribe('/pinged')
  const other = await world.subscribe('/other')
  world.worker()
  await world.emit({}, {})
  await pingWebhook(other, caller, dependencies())
  await world.quiet()
  // Only now, so that no event is retried between the pings.
  world.farm.respond('/pinged', fails)
  const before = await stored()
  for (let i = 0; i < MAX_PINGS + 10; i += 1) {
    await pingWebhook(id, caller, dependencies())
    await world.quiet()
  }
  const after = await stored()
  expect(after.deliveries - before.deliveries).toBe(MAX_PINGS)
  expect(after.attempts - before.attempts).toBe(MAX_PINGS)
  // 600 a minute for 30 days would be 109 GB.
  expect(after.largest).toBeLessThan(4_300)
  const numbers = (await world.deliveries(id)).filter((each) => each.event_type === 'ping')
  expect(numbers.every((each) => each.status === 'failed')).toBe(true)
})

test('pings that wait for a receiver that asked for a pause do not pile up', async () => {
  const id = await world.subscribe('/paused')
  for (let i = 0; i < MAX_PINGS + 10; i += 1) await pingWebhook(id, caller, dependencies())
  expect((await stored()).deliveries).toBe(MAX_PINGS)
})

test('a delivery that is sent again and again has no more attempts than the log shows', async () => {
  const id = await world.subscribe('/again')
  world.farm.respond('/again', fails)
  await world.emit({})
  world.worker()
  await world.quiet()
  const [delivery] = await world.deliveries(id)
  for (let i = 0; i < ATTEMPTS_SHOWN + 10; i += 1) {
    if (i % 2 === 0 || i < 10) await resendDelivery(id, caller, delivery!.id, dependencies())
    else await recoverDeliveries(id, caller, { since: yesterday() }, dependencies())
    await world.quiet()
  }
  const attempts = await world.attempts(id)
  expect(attempts).toHaveLength(ATTEMPTS_SHOWN)
})

test('responses are stored whole for three days, and their start for thirty', async () => {
  const id = await world.subscribe('/old')
  world.farm.respond('/old', fails)
  await world.emit({}, {})
  world.worker()
  await world.quiet()
  const [before, after] = await world.attempts(id)
  for (const [attempt, hours] of [
    [before!, 73],
    [after!, 71],
  ] as const)
    await sql`update webhook_attempts set started_at = now() - ${hours} * interval '1 hour'
      where id = ${attempt.id}`.execute(world.kysely)
  expect(await deleteOldRows(world.kysely)).toBe(1)
  expect(await deleteOldRows(world.kysely)).toBe(0)
  expect((await world.attempts(id)).map((each) => each.response_excerpt)).toEqual([
    Array.from(before!.response_excerpt!).slice(0, EXCERPT.keptCharacters).join(''),
    after!.response_excerpt,
  ])
})
