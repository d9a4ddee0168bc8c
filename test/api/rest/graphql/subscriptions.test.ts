import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Keypair, SystemProgram } from '@solana/web3.js'
import { type Client, createClient } from 'graphql-ws'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { LIMITS } from '../../../../schema/limits.ts'
import { systemClock } from '../../../../src/platform/clock.ts'
import { mergeOutbox } from '../../../../src/ledger/indexer/write/write-events.ts'
import { signed, toJson } from '../../../support/transactions/relay-world.ts'
import { worldIndexer } from '../../../support/ledger/indexer.ts'
import { type AgentWallet, createRegistryWorld } from '../../../support/ledger/registry-world.ts'
import { createTestApp, type TestApp, useTestApp } from '../../../support/app.ts'
import { keyOf } from '../../../support/factories.ts'
import { createTestDatabase } from '../../../support/database.ts'
import { openSse, type StreamPart } from '../../../support/subscriptions.ts'
import { perFile } from '../../../support/lifetime.ts'

/** Two replicas of the service with one database, and a real indexer that writes to it. */
/** Slots of the usual length: with shorter ones, a transaction could be final at the first look. */
const world = perFile(() => createRegistryWorld({ slotMs: 400 }))
const database = perFile(createTestDatabase)
const indexer = perFile(() => worldIndexer(world, database.orm))
const replica = () =>
  useTestApp(() => ({
    listens: true,
    ledger: world.rpc,
    database,
    clock: systemClock,
    tablesFilled: false,
  }))
const replicas = [replica(), replica()] as const
let ada: AgentWallet
beforeAll(async () => {
  ada = await world.wallet('Ada')
  await indexer.whenIdle()
})

const EVENTS = `subscription ($types: [WebhookEventType!], $agentPda: Pubkey, $after: String) {
  registryEvents(filter: { types: $types, agentPda: $agentPda }, after: $after) {
    id type agentPda slot timestamp ... on AgentReputationUpdatedEvent { newReputation delta }
  }
}`
interface Event {
  id: string
  type: string
  agentPda: string
}
const eventOf = (part: StreamPart | null): Event => {
  expect(part?.errors).toBeUndefined()
  return part?.data?.['registryEvents'] as Event
}

/** The ids of the outbox events of the agent, in order. */
async function sent(after = ''): Promise<string[]> {
  const rows = await replicas[0].kysely
    .selectFrom('outbox_events')
    .select('id')
    .where('agent_pda', '=', ada.agent)
    .orderBy('sequence')
    .execute()
  const ids = rows.map((row) => row.id)
  return ids.slice(ids.indexOf(after) + 1)
}

const openStreams = async (app: TestApp): Promise<number> =>
  Number(/^gateway_live_events_streams (\d+)$/m.exec(await app.metrics.metrics())?.[1])

/** A client of graphql-ws, as front ends use it, with the results that it received. */
function openSocket(
  url: string,
  variables: Record<string, unknown>,
): { client: Client; parts: StreamPart[] } {
  const client = createClient({ url: `${url.replace('http', 'ws')}/graphql`, retryAttempts: 0 })
  const parts: StreamPart[] = []
  client.subscribe(
    { query: EVENTS, variables },
    {
      next: (part) => parts.push(part as StreamPart),
      error: () => undefined,
      complete: () => undefined,
    },
  )
  return { client, parts }
}

describe('registryEvents after a lost connection', () => {
  test('resumes over server-sent events on another replica without missing or repeating an event', async () => {
    const [before] = (await sent()).slice(-1)
    const stream = await openSse(replicas[0].url, EVENTS, { agentPda: ada.agent })
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream')
    await world.report(ada.agent, 7)
    const first = eventOf(await stream.next())
    expect(first).toMatchObject({
      type: 'AGENT_REPUTATION_UPDATED',
      agentPda: ada.agent,
      newReputation: 257,
      delta: 7,
    })
    stream.cut()
    await ada.send('update_agent', {}, { version: '2.0' })
    await ada.send('deposit', {}, { amount: 600_000_000n })
    await indexer.whenIdle()
    const resumed = await openSse(replicas[1].url, EVENTS, { agentPda: ada.agent, after: first.id })
    const missed = [
      eventOf(await resumed.next()),
      eventOf(await resumed.next()),
      eventOf(await resumed.next()),
    ]
    await world.report(ada.agent, -3)
    const last = eventOf(await resumed.next())
    expect(last).toMatchObject({ newReputation: 254, delta: -3 })
    resumed.cut()
    expect([first, ...missed, last].map((event) => event.id)).toEqual(await sent(before))
  })

  test('resumes over a WebSocket with the graphql-ws client', async () => {
    const [before] = (await sent()).slice(-1)
    const { client, parts } = openSocket(replicas[0].url, { agentPda: ada.agent })
    await expect.poll(() => openStreams(replicas[0])).toBe(1)
    await world.report(ada.agent, 5)
    await expect.poll(() => parts.length).toBe(1)
    client.terminate()
    await ada.send('update_agent', {}, { version: '3.0' })
    await indexer.whenIdle()
    const second = openSocket(replicas[1].url, { agentPda: ada.agent, after: eventOf(parts[0]!).id })
    await expect.poll(() => second.parts.length).toBe(1)
    await world.report(ada.agent, 5)
    await expect.poll(() => second.parts.length).toBe(2)
    await second.client.dispose()
    expect([...parts, ...second.parts].map((part) => eventOf(part).id)).toEqual(await sent(before))
  })

  test('can start from the first event, with filters', async () => {
    const [first] = await sent()
    const stream = await openSse(replicas[0].url, EVENTS, {
      after: first,
      agentPda: ada.agent,
      types: ['STAKE_DEPOSITED', 'AGENT_TIER_UPDATED'],
    })
    const types = [eventOf(await stream.next()).type, eventOf(await stream.next()).type]
    expect(types.sort()).toEqual(['AGENT_TIER_UPDATED', 'STAKE_DEPOSITED'])
    stream.cut()
  })
})

describe('events that are already in the outbox', () => {
  const agentPda = keyOf('agent of the outbox')
  const rows = (from: number, count: number, type = 'agent.updated') =>
    Array.from({ length: count }, (_, i) => {
      const id = `evt_row_${from + i}`
      const content = { id, type, pda: agentPda, slot: 7, timestamp: '2026-11-21T06:29:22.000Z' }
      const body = `${JSON.stringify({ ...content, data: {} }).slice(0, -3)}{"amount":18446744073709551615}}`
      return { id, event_id: id, type, agent_pda: agentPda, slot: 7, body, occurred_at: content.timestamp }
    })
  const insert = (...args: Parameters<typeof rows>) =>
    replicas[0].kysely
      .insertInto('outbox_events')
      .values(rows(...args))
      .execute()

  test('are all sent, page by page, with exact amounts beyond 2^53', async () => {
    for (const from of [0, 1_000, 2_000]) await insert(from, 1_000)
    await insert(3_000, 1, 'agent.closed')
    await insert(3_001, 1, 'stake.closed')
    const all = await openSse(replicas[1].url, EVENTS, { agentPda, after: 'evt_row_9' })
    for (let i = 10; i <= 3_000; i += 1) expect(eventOf(await all.next()).id).toBe(`evt_row_${i}`)
    all.cut()
    const few = await openSse(replicas[1].url, EVENTS, { types: ['AGENT_CLOSED'], after: 'evt_row_0' })
    expect(eventOf(await few.next()).id).toBe('evt_row_3000')
    few.cut()
    const raw = await fetch(
      `${replicas[0].url}/graphql?query=${encodeURIComponent('subscription { registryEvents(after: "evt_row_3000") { ... on StakeClosedEvent { amount } } }')}`,
      { headers: { accept: 'text/event-stream' } },
    )
    const reader = raw.body!.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    while (!text.includes('\n\n', 5)) text += (await reader.read()).value ?? ''
    await reader.cancel()
    expect(text).toContain('{"amount":"18446744073709551615"}')
  })

  test('are left out if a fork cancelled them, and sent when the ledger confirms them again', async () => {
    // Together, because a stream that is open would read the event before it is cancelled.
    await replicas[0].kysely.transaction().execute(async (work) => {
      await work.insertInto('outbox_events').values(rows(4_000, 3)).execute()
      await sql`update outbox_events set cancelled_at = now() where id = 'evt_row_4001'`.execute(work)
    })
    const stream = await openSse(replicas[0].url, EVENTS, { agentPda, after: 'evt_row_4000' })
    expect(eventOf(await stream.next()).id).toBe('evt_row_4002')
    const [row] = rows(4_001, 1)
    const { event_id, type, agent_pda, slot, body, occurred_at } = row!
    await mergeOutbox(replicas[0].kysely, [
      { id: row!.id, event_id, type, agent_pda, slot, body, occurred_at },
    ])
    expect(eventOf(await stream.next()).id).toBe('evt_row_4001')
    stream.cut()
    const resumed = await openSse(replicas[1].url, EVENTS, { agentPda, after: 'evt_row_4000' })
    const ids = [eventOf(await resumed.next()).id, eventOf(await resumed.next()).id]
    expect(ids).toEqual(['evt_row_4002', 'evt_row_4001'])
    resumed.cut()
  })
})

describe('a subscription is refused', () => {
  test.each([
    [{ after: 'evt_nobody' }, 'EVENT_UNKNOWN', 'after must be the id of an event, got "evt_nobody"'],
    [{ agentPda: 'x' }, 'INVALID_PUBKEY', 'agentPda must be a base-58 public key of 32 bytes, got "x"'],
    [{ types: [] }, 'INVALID_REQUEST', 'types must contain at least one event type'],
    [
      { types: ['AGENT_BORN'] },
      'INVALID_REQUEST',
      expect.stringContaining('Value "AGENT_BORN" does not exist'),
    ],
    [
      { types: ['agent.closed'] },
      'INVALID_REQUEST',
      expect.stringContaining('Value "agent.closed" does not exist'),
    ],
  ])('for the variables %o', async (variables, code, message) => {
    const stream = await openSse(replicas[0].url, EVENTS, variables)
    expect((await stream.next())?.errors).toMatchObject([{ message, extensions: { code, status: 400 } }])
    expect(await stream.next()).toBeNull()
    const { client, parts } = openSocket(replicas[0].url, variables)
    await expect.poll(() => parts.length).toBe(1)
    expect(parts[0]?.errors).toMatchObject([{ message, extensions: { code, status: 400 } }])
    await client.dispose()
  })

  test('if Accept does not allow an event stream', async () => {
    await expect.poll(() => openStreams(replicas[0])).toBe(0)
    const response = await fetch(`${replicas[0].url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ query: EVENTS }),
    })
    expect([response.status, await response.json()]).toEqual([
      406,
      {
        error: 'Accept must allow text/event-stream, got "application/json"',
        details: { code: 'NOT_ACCEPTABLE' },
      },
    ])
    expect(await openStreams(replicas[0])).toBe(0)
  })

  test('above the limit of streams per client over both transports, until a stream ends', async () => {
    const open = await Promise.all(Array.from({ length: 19 }, () => openSse(replicas[0].url, EVENTS)))
    const { client } = openSocket(replicas[0].url, {})
    await expect.poll(() => openStreams(replicas[0])).toBe(20)
    const refused = await openSse(replicas[0].url, EVENTS)
    expect((await refused.next())?.errors).toMatchObject([
      { extensions: { code: 'TOO_MANY_STREAMS', status: 429 } },
    ])
    for (const stream of open) stream.cut()
    client.terminate()
    await expect.poll(() => openStreams(replicas[0])).toBe(0)
  })
})

describe('transactionStatus', () => {
  const STATUS = `subscription ($id: String!) { transactionStatus(id: $id) { id status final signature error { code } slot } }`
  const statusOf = (part: StreamPart | null): string => {
    const { transactionStatus } = part!.data as { transactionStatus: { status: string; final: boolean } }
    return transactionStatus.final ? `${transactionStatus.status}, final` : transactionStatus.status
  }

  test('reports each status on the replica that did not submit, and then completes', async () => {
    const payer = Keypair.generate()
    await world.connection.requestAirdrop(payer.publicKey, 1_000_000_000)
    await expect.poll(() => world.connection.getBalance(payer.publicKey)).toBe(1_000_000_000)
    const instruction = SystemProgram.transfer({
      fromPubkey: payer.publicKey,
      toPubkey: Keypair.generate().publicKey,
      lamports: 1_000_000,
    })
    replicas[0].transactions.tracker.start()
    const prepared = await replicas[0].services.transactions.prepare({
      instructions: [toJson(instruction)],
      signerPubkeys: [payer.publicKey.toBase58()],
    })
    const stream = await openSse(replicas[1].url, STATUS, { id: prepared.id })
    expect(statusOf(await stream.next())).toBe('SIMULATED')
    const signedTx = signed(prepared, payer)
    await replicas[0].services.transactions.submit({ id: prepared.id, signedTx }, '192.0.2.1')
    const seen: string[] = []
    for (let part = await stream.next(); part !== null; part = await stream.next()) {
      seen.push(statusOf(part))
      if (seen.at(-1) === 'CONFIRMED') world.localnet.stepSlot(33)
    }
    // `SUBMITTED` can come a second time, with `submittedAt`.
    expect(seen.filter((status) => status !== 'SUBMITTED')).toEqual(['CONFIRMED', 'CONFIRMED, final'])
    const again = await openSse(replicas[1].url, STATUS, { id: prepared.id })
    expect([statusOf(await again.next()), await again.next()]).toEqual(['CONFIRMED, final', null])
  })

  test('refuses an unknown id', async () => {
    const stream = await openSse(replicas[0].url, STATUS, { id: 'x' })
    expect((await stream.next())?.errors).toMatchObject([
      { message: 'Transaction not found', extensions: { code: 'TRANSACTION_NOT_FOUND', status: 404 } },
    ])
  })
})

describe('WebSockets', () => {
  const connect = (path: string, options: { origin?: string; protocol?: string } = {}) => {
    const { origin, protocol = 'graphql-transport-ws' } = options
    return new WebSocket(`${replicas[0].url.replace('http', 'ws')}${path}`, protocol, { origin })
  }
  /** The status and body with which an upgrade was refused. */
  const refusal = async (socket: WebSocket): Promise<unknown[]> => {
    const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage]
    return [response.statusCode, JSON.parse(Buffer.concat(await response.toArray()).toString())]
  }

  test('run queries with the same limits and error texts as HTTP', async () => {
    const client = createClient({ url: `${replicas[0].url.replace('http', 'ws')}/graphql` })
    const firstResult = async (query: string) => {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>()
      client.subscribe(
        { query },
        { next: resolve, error: resolve, complete: () => reject(new Error('no result')) },
      )
      return promise
    }
    expect(await firstResult('{ health { status } }')).toEqual({ data: { health: { status: 'ok' } } })
    expect(await firstResult(`{ ${'a'.repeat(20_000)} }`)).toMatchObject([
      { message: 'The query has more than 20000 characters', extensions: { status: 400 } },
    ])
    expect(await firstResult('{ a ')).toMatchObject([
      { extensions: { code: 'INVALID_REQUEST', status: 400 } },
    ])
    expect(await firstResult('{ webhooks { nodes { id } } }')).toMatchObject({
      errors: [{ extensions: { code: 'AUTH_HEADERS_MISSING', status: 401 } }],
    })
    await client.dispose()
  })

  test('are closed after another subprotocol or a broken message, with the code of the protocol', async () => {
    const other = connect('/graphql', { protocol: 'graphql-ws' })
    const [error] = await once(other, 'error')
    expect(String(error)).toContain('Server sent no subprotocol')
    const broken = connect('/graphql')
    await once(broken, 'open')
    broken.send('{')
    expect((await once(broken, 'close'))[0]).toBe(4400)
    const large = connect('/graphql')
    await once(large, 'open')
    large.send(`[${'1,'.repeat(LIMITS.values)}1]`)
    const [code, reason] = (await once(large, 'close')) as [number, Buffer]
    expect([code, reason.toString()]).toEqual([4400, `The request has more than ${LIMITS.values} values`])
    const early = connect('/graphql')
    await once(early, 'open')
    early.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: '{ health { status } }' } }))
    expect((await once(early, 'close'))[0]).toBe(4401)
  })

  test('exist only at /graphql; elsewhere an upgrade is a request like any other', async () => {
    expect(await refusal(connect('/nowhere'))).toEqual([
      404,
      { error: 'Not found: /nowhere', details: { code: 'PATH_NOT_FOUND' } },
    ])
  })
})

test('pages of other origins cannot open a WebSocket; a service that stops cuts its streams', async () => {
  const corsOrigins = ['https://front.example']
  const app = await createTestApp({
    ledger: world.rpc,
    database,
    clock: systemClock,
    corsOrigins,
    tablesFilled: false,
  })
  const url = await app.app.listen({ port: 0 })
  const stream = await openSse(url, EVENTS)
  const open = (origin: string) =>
    new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', { origin })
  const [, refused] = (await once(open('https://other.example'), 'unexpected-response')) as [
    unknown,
    IncomingMessage,
  ]
  expect([refused.statusCode, JSON.parse(Buffer.concat(await refused.toArray()).toString())]).toEqual([
    403,
    {
      error: 'The origin "https://other.example" is not allowed to call this service',
      details: { code: 'ORIGIN_NOT_ALLOWED' },
    },
  ])
  const host = 'rebound.example:3000'
  const rebound = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
    headers: { host },
    origin: `http://${host}`,
  })
  const [response] = (await once(rebound, 'unexpected-response')).slice(1) as [IncomingMessage]
  expect(response.statusCode).toBe(403)
  response.destroy()
  const own = open(url)
  await once(own, 'open')
  own.terminate()
  const socket = open('https://front.example')
  await once(socket, 'open')
  const next = stream.next().then(
    () => 'completed',
    () => 'cut',
  )
  const closed = once(socket, 'close')
  await app.close()
  expect(await next).toBe('cut')
  expect((await closed)[0]).toBe(1001)
  expect(await openStreams(app)).toBe(0)
})
