import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { openSession } from '../../../src/db/session.ts'
import {
  CARD_QUEUES,
  CHECKS_PER_SITE,
  CREDENTIAL_FETCHES,
  WRITES_AT_ONCE,
} from '../../../src/identity/agent-cards/limits.ts'
import type { CardWorker } from '../../../src/identity/agent-cards/worker.ts'
import { SITE_BYTES_PER_MINUTE } from '../../../src/platform/net/hosted/fetch-hosted.ts'
import { createMetrics } from '../../../src/platform/metrics/metrics.ts'
import { createGuardedHttp } from '../../../src/platform/net/guarded-http.ts'
import { createTestApp, FIXED_NOW } from '../../support/app.ts'
import { agentRow, insertAgents, keyOf } from '../../support/factories.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'
import { scaled } from '../../support/machine-speed.ts'
import { perFile } from '../../support/lifetime.ts'

const CARD = '{"name":"Honest"}'
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** A page of this size is read completely, and is not a card. */
const PAGE_BYTES = 262_144
let now = FIXED_NOW
/** Accepts connections and requests, and never responds. */
const silent = perFile(() => startReceiver({ reply: () => {} }))
/** A silent host is given up after ten seconds. */
const MAX_HONEST_MS = scaled(2_000)

const honest = perFile(() => startReceiver({ reply: { body: CARD } }))
const http = perFile(() =>
  createGuardedHttp({
    devMode: true,
    allowedPorts: [silent.port, honest.port],
    lookup: async () => ['127.0.0.1'],
  }),
)
const t = perFile(() =>
  createTestApp({
    clock: { now: () => now },
    hosted: { http, gateways: { ipfs: null, arweave: null } },
  }),
)
const workers: CardWorker[] = []

afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()))
  for (const table of ['agents', 'agent_card_checks', 'agent_card_hosts'] as const)
    await t.kysely.deleteFrom(table).execute()
})

/** A worker with the times and limits of the service. */
function startWorker(): void {
  const worker = t.identity.cardWorker(createMetrics())
  workers.push(worker)
  worker.start()
}

const register = (cards: readonly { name: string; url: string; body?: string }[]) =>
  insertAgents(
    t.kysely,
    cards.map(({ name, url, body = CARD }) =>
      agentRow(name, { agent_card_url: url, agent_card_hash: sha256(body) }),
    ),
  )

const hostile = (count: number, hostOf: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => ({ name: `hostile ${i}`, url: silent.url('/card', hostOf(i)) }))

async function stateOf(name: string): Promise<string | undefined> {
  const { rows } = await sql<{ state: string }>`
    select state from agent_card_checks where agent_pda = ${keyOf(`agent ${name}`)}`.execute(t.kysely)
  return rows[0]?.state
}

/** Registers an honest agent and returns the milliseconds until its card was checked. */
async function checkHonest(name = 'honest'): Promise<number> {
  const registeredAt = performance.now()
  await register([{ name, url: honest.url('/card', `www.${name.replace(' ', '-')}.net`) }])
  await expect.poll(() => stateOf(name)).toBe('matched')
  return performance.now() - registeredAt
}

/** The least of up to three checks: other work of the machine can only add. */
async function quickestHonest(name = 'honest'): Promise<number> {
  let least = Infinity
  for (let i = 0; i < 3 && least >= MAX_HONEST_MS; i += 1)
    least = Math.min(least, await checkHonest(`${name} ${i}`))
  return least
}

const requestsTo = (receiver: Receiver, path: string): number =>
  receiver.requests.filter((request) => request.path === path).length

test.each([40, 400])(
  'an honest card is checked within 2 s beside %i agents with silent hosts',
  async (count) => {
    await register(hostile(count, (i) => `cards.hostile${i}.com`))
    startWorker()
    expect(await quickestHonest()).toBeLessThan(MAX_HONEST_MS)
  },
)

test('many names of one site share a few checks, and further checks do not delay first ones', async () => {
  await register(hostile(700, (i) => `name${i}.hostile.com`))
  startWorker()
  await expect.poll(() => silent.openConnections).toBe(CHECKS_PER_SITE)
  expect(await quickestHonest()).toBeLessThan(MAX_HONEST_MS)
  expect(silent.openConnections).toBe(CHECKS_PER_SITE)

  // Hundreds of other sites that did not respond before are due again.
  await sql`update agent_card_checks set site = agent_pda, state = 'unreachable', lease_token = null, next_check_at = now()
    where host like '%hostile%'`.execute(t.kysely)
  await expect.poll(() => silent.openConnections).toBeGreaterThan(CARD_QUEUES.further.inFlight)
  expect(await quickestHonest('second')).toBeLessThan(MAX_HONEST_MS)
})

test('results that wait for the database leave connections for reads, and a worker that stops drops them', async () => {
  const names = Array.from({ length: CARD_QUEUES.first.slots }, (_, i) => `many ${i}`)
  const respond: (() => void)[] = []
  honest.respondWith((_, response) => {
    respond.push(() => response.end(CARD))
  })
  await register(names.map((name, i) => ({ name, url: honest.url('/card', `many${i}.com`) })))
  startWorker()
  await expect.poll(() => respond.length).toBe(names.length)
  const writer = await openSession(t.database.orm)
  const blocked = async (): Promise<number> => {
    const { rows } = await writer.query<{ count: number }>(
      `select count(*)::integer as count from pg_locks
       where transactionid = pg_current_xact_id()::xid and not granted`,
    )
    return rows[0]?.count ?? 0
  }
  try {
    await writer.query('begin')
    await writer.query('select from agents for update')
    for (const send of respond) send()
    await expect.poll(blocked).toBeGreaterThanOrEqual(WRITES_AT_ONCE)
    const counts: number[] = []
    for (let i = 0; i < 20; i += 1) {
      expect((await t.app.inject(`/agents?offset=${i}`)).statusCode).toBe(200)
      counts.push(await blocked())
    }
    expect(Math.max(...counts)).toBe(WRITES_AT_ONCE)
    // Each of the others would wait for seconds.
    const stoppedAt = performance.now()
    await workers.pop()!.stop()
    expect(performance.now() - stoppedAt).toBeLessThan(scaled(10_000))
  } finally {
    await writer.end()
  }
})

test('credentials that are slow do not delay a card, and their refresh survives a crash', async () => {
  const hanging = (i: number): string => silent.url('/credential', `credentials${i}.com`)
  const cards = Array.from({ length: 40 }, (_, i) =>
    JSON.stringify({ credentials: [hanging(i), hanging(i)] }),
  )
  await register(
    cards.map((body, i) => ({ name: `slow ${i}`, url: honest.url(`/slow${i}`, `a${i}.com`), body })),
  )
  honest.respondWith(({ path }) => ({ body: cards[Number(/slow(\d+)/.exec(path)?.[1] ?? -1)] ?? CARD }))
  startWorker()
  await expect.poll(() => requestsTo(silent, '/credential')).toBeGreaterThan(20)
  expect(await quickestHonest()).toBeLessThan(MAX_HONEST_MS)

  await workers.pop()!.stop()
  const { rows } = await sql<{ due: number }>`
    select count(*)::integer as due from agent_card_checks where credentials_due_at is not null`.execute(
    t.kysely,
  )
  expect(rows[0]?.due).toBeGreaterThanOrEqual(40)
  await sql`update agent_card_checks set credentials_due_at = now()`.execute(t.kysely)
  const before = requestsTo(silent, '/credential')
  startWorker()
  await expect.poll(() => requestsTo(silent, '/credential')).toBeGreaterThan(before + 20)
})

test('cards that list credentials of one site cause few requests to it at once, and do not delay others', async () => {
  const cards = Array.from({ length: 60 }, (_, i) =>
    JSON.stringify({ credentials: [1, 2].map((n) => silent.url(`/victim/${i}/${n}`, `a${i}.victim.com`)) }),
  )
  await register(
    cards.map((body, i) => ({ name: `listing ${i}`, url: honest.url(`/list${i}`, `l${i}.com`), body })),
  )
  const listing = JSON.stringify({ credentials: [honest.url('/others', 'credentials.net')] })
  const bodies: Record<string, string> = { '/listing': listing }
  honest.respondWith(({ path }) => ({
    body: bodies[path] ?? cards[Number(/list(\d+)/.exec(path)?.[1] ?? -1)] ?? CARD,
  }))
  // Counted at once, because the requests of a slow machine end before the test.
  let [open, most] = [0, 0]
  silent.respondWith((_, response) => {
    open += 1
    most = Math.max(most, open)
    response.once('close', () => (open -= 1))
  })
  const waiting = async () => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::integer as count from agent_card_checks where credentials_token is not null`.execute(
      t.kysely,
    )
    return rows[0]?.count
  }
  startWorker()
  await expect.poll(waiting).toBe(60)
  await register([{ name: 'other', url: honest.url('/listing', 'listing.net'), body: listing }])
  await expect.poll(() => requestsTo(honest, '/others')).toBeGreaterThan(0)
  expect(most).toBe(CREDENTIAL_FETCHES.perSite)
})

test('the credentials of an agent are refreshed at most every ten minutes', async () => {
  const url = honest.url('/credential', 'credentials.com')
  const body = JSON.stringify({ credentials: [url] })
  await register([{ name: 'listing', url: honest.url('/listing', 'listing.com'), body }])
  honest.respondWith(({ path }) => ({ body: path === '/listing' ? body : CARD }))
  const times = async () => {
    const { rows } = await sql<{ dueAt: string | null; pause: number | null }>`
      select credentials_due_at::text as "dueAt",
        extract(epoch from credentials_due_at - credentials_claimed_at)::float8 as pause
      from agent_card_checks where credentials_claimed_at is not null`.execute(t.kysely)
    return rows
  }
  startWorker()
  await expect.poll(times).toEqual([{ dueAt: null, pause: null }])
  await sql`update agent_card_checks set next_check_at = now()`.execute(t.kysely)
  await expect.poll(times).toEqual([{ dueAt: expect.any(String) as string, pause: 600 }])
  expect(requestsTo(honest, '/credential')).toBe(1)
})

test('a loop of changes causes one check a minute, and the last change is checked', async () => {
  await register([{ name: 'looping', url: honest.url('/0', 'looping.com') }])
  startWorker()
  await expect.poll(() => stateOf('looping')).toBe('matched')
  for (let i = 1; i <= 20; i += 1) {
    const change = { agent_card_url: honest.url(`/${i}`, `looping${i}.com`) }
    await t.kysely.updateTable('agents').set(change).execute()
  }
  // Another agent is checked meanwhile, so the queue was read after the last change.
  await checkHonest()
  const looped = () => honest.requests.map(({ path }) => path).filter((path) => /^\/\d+$/.test(path))
  expect(looped()).toEqual(['/0'])
  const { rows } = await sql<{ seconds: number }>`
    select extract(epoch from next_check_at - claimed_at)::float8 as seconds from agent_card_checks
    where agent_pda = ${keyOf('agent looping')}`.execute(t.kysely)
  expect(rows[0]?.seconds).toBe(60)
  await sql`update agent_card_checks set next_check_at = now() where state = 'unchecked'`.execute(t.kysely)
  await expect.poll(() => stateOf('looping')).toBe('matched')
  expect(looped()).toEqual(['/0', '/20'])
})

test('agents of one site make the service read a limited number of bytes per minute, and others are checked', async () => {
  const full = SITE_BYTES_PER_MINUTE / PAGE_BYTES
  const count = Math.ceil(1.5 * full)
  const page = { status: 404, body: Buffer.alloc(PAGE_BYTES, 'x') }
  honest.respondWith(({ path }) => (path === '/heavy' ? page : { body: CARD }))
  const heavy = Array.from({ length: count }, (_, i) => ({
    name: `heavy ${i}`,
    url: honest.url('/heavy', `agent${i}.heavy.com`),
  }))
  await register(heavy)
  startWorker()
  await expect.poll(() => requestsTo(honest, '/heavy')).toBeGreaterThanOrEqual(full - 1)
  for (let i = 0; i < 5; i += 1) await checkHonest(`honest ${i}`)
  expect(requestsTo(honest, '/heavy')).toBeLessThanOrEqual(full + CHECKS_PER_SITE)
  // The others are not unreachable: they wait until their lease ends.
  const { rows } = await sql<{ state: string; count: number }>`
    select state, count(*)::integer from agent_card_checks where site = 'heavy.com' and state = 'unchecked' group by state`.execute(
    t.kysely,
  )
  expect(rows[0]?.count).toBeGreaterThanOrEqual(count - full - CHECKS_PER_SITE)

  now += 60_000
  await sql`update agent_card_checks set next_check_at = now() where state = 'unchecked'`.execute(t.kysely)
  await expect.poll(() => requestsTo(honest, '/heavy')).toBe(count)
})
