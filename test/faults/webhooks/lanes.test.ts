import { afterEach, expect, test } from 'vitest'
import { noResponse, type Responder, status } from '../../support/webhooks/receiver-farm.ts'
import { createWorkerWorld, QUICK, senderWithin } from '../../support/webhooks/worker-world.ts'
import { eventually } from '../../support/eventually.ts'
import { scaled } from '../../support/machine-speed.ts'
import { perFile } from '../../support/lifetime.ts'

const world = perFile(() => createWorkerWorld())
afterEach(() => world.reset())

/** The slow lane has no slot, so that only the fast lane sends. */
const FAST_ONLY = { ...QUICK, slowConcurrency: 0 }

const after =
  (milliseconds: number): Responder =>
  (_, response) =>
    void setTimeout(() => response.end('ok'), milliseconds)

const responseMs = async (id: string): Promise<number | null> => (await world.subscription(id)).response_ms
const settled = (id: string, count: number) =>
  eventually(async () => expect(await world.attempts(id)).toHaveLength(count))

test('a webhook is fast after a fast response, also if that was an error', async () => {
  const [good, bad] = [
    await world.subscribe('/good', { response_ms: null }),
    await world.subscribe('/bad', { response_ms: null }),
  ]
  world.farm.respond('/bad', status(500))
  world.worker()
  await world.emit({})
  for (const id of [good, bad]) {
    await settled(id, 1)
    expect(await responseMs(id)).toBeLessThan(scaled(1_000))
  }
})

test('a timeout and a refused connection count as the whole deadline', async () => {
  const silent = await world.subscribe('/silent')
  const refused = await world.subscribe('/refused', { url: 'http://127.0.0.1:1/' })
  world.farm.respond('/silent', noResponse)
  world.worker({ limits: { ...QUICK, deadlineMs: 10_000 }, send: senderWithin(scaled(100)) })
  await world.emit({})
  for (const id of [silent, refused]) {
    await settled(id, 1)
    // A fifth of 10 s, and the rest of the 5 ms before.
    expect(await responseMs(id)).toBeCloseTo(2_004, 0)
  }
})

test('a slow webhook is fast again after some fast responses', async () => {
  const id = await world.subscribe('/was-slow', { response_ms: 2_900 })
  world.worker()
  for (let event = 1; event <= 5; event += 1) {
    await world.emit({})
    await settled(id, event)
  }
  expect(await responseMs(id)).toBeLessThan(scaled(1_000))
})

test('the average of a fast webhook is not written again and again', async () => {
  const id = await world.subscribe('/steady', { response_ms: 123 })
  world.worker()
  await world.emit({}, {})
  await settled(id, 2)
  expect(await responseMs(id)).toBe(123)
})

test('new and slow webhooks, and those with a hanging attempt, are not in the fast lane', async () => {
  const pending: (() => void)[] = []
  const hold: Responder = (_, response) => pending.push(() => response.end())
  const waiting = [
    await world.subscribe('/new', { response_ms: null }),
    await world.subscribe('/slow', { response_ms: 1_000 }),
  ]
  const fast = await world.subscribe('/fast', { response_ms: 999 })
  const hanging = await world.subscribe('/hanging', { response_ms: 5 })
  world.farm.respond('/hanging', hold)
  // With this lease, an attempt is older than a second from the start.
  const [first] = await world.emit({})
  await world.kysely
    .updateTable('webhook_deliveries')
    .set({
      status: 'in_flight',
      lease_token: 'token',
      lease_until: new Date(Date.now() + 30_000).toISOString(),
      next_attempt_at: null,
    })
    .where('subscription_id', '=', hanging)
    .where('event_id', '=', first!)
    .execute()
  world.worker({ limits: { ...FAST_ONLY, leaseMs: 40_000 } })
  await world.emit({})
  await settled(fast, 2)
  for (const id of [...waiting, hanging]) expect(await world.attempts(id)).toEqual([])
  await world.kysely.deleteFrom('webhook_deliveries').where('lease_token', '=', 'token').execute()
  await eventually(() => expect(pending).toHaveLength(1))
  pending[0]!()
})

test('first attempts to a new webhook end early, and their retries have the whole time', async () => {
  const [fresh, known] = [
    await world.subscribe('/fresh', { response_ms: null }),
    await world.subscribe('/known', { response_ms: 5 }),
  ]
  for (const path of ['/fresh', '/known']) world.farm.respond(path, after(400))
  world.worker({ limits: { ...QUICK, firstDeadlineMs: 100 } })
  await world.emit({})
  for (const id of [fresh, known]) await settled(id, 1)
  expect(await world.attempts(fresh)).toMatchObject([{ outcome: 'failure', error_code: 'timeout' }])
  expect(await world.attempts(known)).toMatchObject([{ outcome: 'success' }])
  await world.expire()
  await settled(fresh, 2)
  expect((await world.attempts(fresh))[1]).toMatchObject({ outcome: 'success' })
})

test('a slow webhook that succeeded last has the whole time for its first attempts', async () => {
  const id = await world.subscribe('/works', { response_ms: 1_500 })
  world.farm.respond('/works', after(400))
  world.worker({ limits: { ...QUICK, firstDeadlineMs: 100 } })
  await world.emit({})
  await settled(id, 1)
  expect(await world.attempts(id)).toMatchObject([{ outcome: 'success', number: 1 }])
})

test('the breaker does not pause a slow webhook that answers within the whole time', async () => {
  const id = await world.subscribe('/slow', { response_ms: null })
  world.farm.respond('/slow', after(400))
  world.worker({ limits: { ...QUICK, firstDeadlineMs: 100 } })
  await world.emit({}, {}, {}, {}, {}, {}, {}, {})
  await eventually(async () =>
    expect((await world.attempts(id)).filter((each) => each.outcome === 'success')).not.toEqual([]),
  )
  expect(await world.subscription(id)).toMatchObject({ breaker_opens: 0, connect_failures: 0 })
})

test('an endpoint that failed three times in a row has the whole time for its first attempts', async () => {
  const [two, three] = [
    await world.subscribe('/two', { response_ms: null, connect_failures: 2 }),
    await world.subscribe('/three', { response_ms: null, connect_failures: 3 }),
  ]
  for (const path of ['/two', '/three']) world.farm.respond(path, after(400))
  world.worker({ limits: { ...QUICK, firstDeadlineMs: 100 } })
  await world.emit({})
  for (const id of [two, three]) await settled(id, 1)
  expect(await world.attempts(two)).toMatchObject([{ outcome: 'failure', error_code: 'timeout' }])
  expect(await world.attempts(three)).toMatchObject([{ outcome: 'success' }])
})

test('turns rotate by network, then wallet, then webhook', async () => {
  const webhooks = [
    ['network 1', 'wallet 1', '/1'],
    ['network 1', 'wallet 1', '/2'],
    ['network 1', 'wallet 2', '/3'],
    ['network 2', 'wallet 3', '/4'],
  ] as const
  const held: (() => void)[] = []
  for (const [network, wallet, path] of webhooks) {
    await world.subscribe(path, { network, wallet })
    world.farm.respond(path, (_, response) => held.push(() => response.end()))
  }
  await world.emit({}, {}, {}, {}, {}, {})
  // First attempts get 7 of 8 slots.
  const worker = world.worker({
    limits: { ...QUICK, concurrency: 8, deadlineMs: 15_000, leaseMs: 35_000 },
    send: senderWithin(15_000),
  })
  await eventually(() => expect(held).toHaveLength(7))
  const counts = webhooks.map(([, , path]) => world.farm.receivedAt(path).length)
  expect(counts).toEqual([1, 1, 2, 3])
  const stopped = worker.stop()
  for (const release of held) release()
  await stopped
})

test('with fewer slots than networks, an old backlog of many networks does not come first', async () => {
  for (let n = 0; n < 20; n += 1)
    await world.subscribe(`/old/${n}`, { network: `old ${n}`, wallet: `old ${n}` })
  for (let event = 0; event < 60; event += 1) await world.emit({})
  await world.subscribe('/new', { network: 'new', wallet: 'new', filter_agent_pda: 'new' })
  await world.emit({ agent: 'new' })
  world.worker({ limits: { ...QUICK, concurrency: 4 } })
  await eventually(() => expect(world.farm.receivedAt('/new')).toHaveLength(1))
  // On average after 21 / 3 rounds of 3 deliveries. The backlog has 1,200.
  expect(world.farm.received.length).toBeLessThan(600)
})

test('a network that fills its share of the fast lane still gets retries of its slow webhooks', async () => {
  const held: (() => void)[] = []
  const network = 'busy'
  const slow = await world.subscribe('/slow', { network, response_ms: 2_000, filter_agent_pda: 'slow' })
  world.farm.respond('/slow', status(500))
  const worker = world.worker({
    limits: { ...QUICK, concurrency: 48, slowConcurrency: 16, deadlineMs: 60_000, leaseMs: 80_000 },
    send: senderWithin(60_000),
  })
  await world.emit({ agent: 'slow' })
  await settled(slow, 1)
  for (let n = 0; n < 14; n += 1) {
    await world.subscribe(`/busy/${n}`, { network, site: `busy ${n}`, filter_agent_pda: 'busy' })
    world.farm.respond(`/busy/${n}`, (_, response) => held.push(() => response.end()))
  }
  await world.emit(...Array.from({ length: 4 }, () => ({ agent: 'busy' })))
  await eventually(() => expect(held.length).toBeGreaterThanOrEqual(33))
  await world.expire()
  await settled(slow, 2)
  const stopped = worker.stop()
  for (const release of held) release()
  await stopped
})
