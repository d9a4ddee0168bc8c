import { Writable } from 'node:stream'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { checkStoredSecrets } from '../../../src/compose/gateway.ts'
import { openSession } from '../../../src/db/session.ts'
import { WEBHOOK_EVENT_TYPES } from '../../../src/domain/webhook-events.ts'
import { createSecretBox } from '../../../src/webhooks/secret-box.ts'
import { createAppOfTest, FIXED_NOW, NO_LEDGER, useTestApp } from '../../support/app.ts'
import { keyOf } from '../../support/factories.ts'
import { type OpenApi, problems } from '../../support/openapi.ts'
import { walletOf } from '../../support/wallet.ts'
import { clientOf, steppingClock, type WalletClient } from '../../support/wallet-client.ts'
import { refused } from '../../support/refusal.ts'

const clock = steppingClock(FIXED_NOW)
const logged: string[] = []
const log = new Writable({
  write: (chunk, _, done) => {
    logged.push(String(chunk))
    done()
  },
})
const t = useTestApp({ clock, log })
const replica = useTestApp(() => ({
  clock,
  database: t.database,
  ledger: NO_LEDGER,
}))
let document: OpenApi
let owner: WalletClient
let stranger: WalletClient
beforeAll(async () => {
  document = (await t.app.inject('/openapi.json')).json()
  owner = clientOf(t, walletOf('owner'), clock)
  stranger = clientOf(t, walletOf('stranger'), clock)
})

const URL = 'https://receiver.example.com/hook'
const BODY = { url: URL, eventTypes: ['agent.closed', 'agent.registered'] }
const NOT_FOUND = {
  status: 404,
  body: { error: 'Webhook not found', details: { code: 'WEBHOOK_NOT_FOUND' } },
}
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const UNKNOWN_ID = '0f8fad5b-d9cb-469f-a165-70867728950e'

interface Webhook {
  id: string
  event_types: string[]
  updated_at: string
  [field: string]: unknown
}
interface Delivery {
  id: string
  status: string
  event_type: string
  attempts: unknown[]
  [field: string]: unknown
}

const create = async (as = owner, body: object = BODY): Promise<{ id: string; secret: string }> => {
  const { status, body: created } = await as<{ id: string; secret: string }>('POST', '/webhooks', body)
  expect(status).toBe(201)
  return created
}
const mine = async (as = owner): Promise<Webhook[]> =>
  (await as<{ subscriptions: Webhook[] }>('GET', '/webhooks')).body.subscriptions
const documented = (
  path: string,
  method: string,
  { status, body }: { status: number; body: unknown },
): unknown[] => {
  const media = document.paths[path]?.[method]?.responses[status]?.content?.['application/json']
  return media === undefined ? [`${method} ${path} ${status}`] : problems(document, media.schema, body)
}

test('event types are public and have both names of the contract', async () => {
  const response = await t.app.inject('/webhooks/event-types')
  expect(response.json()).toEqual({ event_types: WEBHOOK_EVENT_TYPES, eventTypes: WEBHOOK_EVENT_TYPES })
  expect(documented('/webhooks/event-types', 'get', { status: 200, body: response.json() })).toEqual([])
})

test('a subscription is created, listed, changed, rotated and deleted as documented', async () => {
  const created = await owner<{ id: string; secret: string }>('POST', '/webhooks', BODY)
  expect(created.status).toBe(201)
  expect(created.body).toEqual({
    id: expect.stringMatching(UUID),
    secret: expect.stringMatching(/^whsec_[A-Za-z0-9]{44}$/),
    message: expect.stringContaining('not shown again'),
  })
  expect(documented('/webhooks', 'post', created)).toEqual([])
  const { id, secret } = created.body

  const listed = await owner<{ subscriptions: Webhook[] }>('GET', '/webhooks')
  expect(documented('/webhooks', 'get', listed)).toEqual([])
  expect(listed.body).toEqual({
    subscriptions: [
      {
        id,
        url: URL,
        event_types: ['agent.registered', 'agent.closed'],
        eventTypes: ['agent.registered', 'agent.closed'],
        filter_agent_pda: null,
        active: true,
        disabled_reason: null,
        disabled_at: null,
        created_at: expect.stringMatching(TIME),
        updated_at: expect.stringMatching(TIME),
      },
    ],
  })
  const [before] = listed.body.subscriptions

  const filter = keyOf('an agent')
  const changed = await owner<Webhook>('PATCH', `/webhooks/${id}`, {
    url: 'https://other.example.com:8443/x?y=1',
    eventTypes: ['stake.closed'],
    filterAgentPda: filter,
    active: false,
  })
  expect(documented('/webhooks/{id}', 'patch', changed)).toEqual([])
  expect(changed).toEqual({
    status: 200,
    body: {
      ...before,
      url: 'https://other.example.com:8443/x?y=1',
      event_types: ['stake.closed'],
      eventTypes: ['stake.closed'],
      filter_agent_pda: filter,
      active: false,
      updated_at: expect.stringMatching(TIME),
    },
  })
  expect(await mine()).toEqual([changed.body])
  const resumed = await owner<Webhook>('PATCH', `/webhooks/${id}`, { filterAgentPda: null, active: true })
  expect(resumed.body).toMatchObject({ filter_agent_pda: null, active: true, event_types: ['stake.closed'] })
  const same = await owner<Webhook>('PATCH', `/webhooks/${id}`, { url: null, active: null })
  expect(same.body).toEqual({ ...resumed.body, updated_at: same.body.updated_at })

  const rotated = await owner<{ secret: string }>('POST', `/webhooks/${id}/rotate-secret`)
  expect(documented('/webhooks/{id}/rotate-secret', 'post', rotated)).toEqual([])
  expect(rotated).toEqual({ status: 200, body: { secret: expect.stringMatching(/^whsec_[A-Za-z0-9]{44}$/) } })
  expect(rotated.body.secret).not.toBe(secret)
  const stored = await t.kysely
    .selectFrom('webhook_subscriptions')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  expect(t.secretBox.open(id, stored.secret_encrypted)).toBe(rotated.body.secret)

  const deleted = await owner('DELETE', `/webhooks/${id}`)
  expect(deleted).toEqual({ status: 200, body: { deleted: true } })
  expect(documented('/webhooks/{id}', 'delete', deleted)).toEqual([])
  expect(await mine()).toEqual([])
  for (const gone of [
    await owner('DELETE', `/webhooks/${id}`),
    await owner('PATCH', `/webhooks/${id}`, { active: true }),
    await owner('POST', `/webhooks/${id}/rotate-secret`),
    await owner('GET', `/webhooks/${id}/deliveries`),
    await owner('POST', `/webhooks/${id}/ping`),
  ])
    expect(gone).toEqual(NOT_FOUND)
})

test.each([
  'GET /deliveries',
  'POST /rotate-secret',
  'POST /ping',
  'POST /recover',
  `POST /deliveries/${UNKNOWN_ID}/resend`,
  'PATCH ',
  'DELETE ',
])('%s responds with 404 for a webhook of another wallet, an unknown id and an invalid id', async (route) => {
  const { id } = await create()
  const [method = '', path = ''] = route.split(' ')
  const payload = path === '/recover' || method === 'PATCH' ? {} : undefined
  for (const [as, which] of [
    [stranger, id],
    [owner, UNKNOWN_ID],
    [owner, 'x'],
    [owner, '%00'],
    [owner, id.toUpperCase()],
  ] as const)
    expect(await as(method, `/webhooks/${which}${path}`, payload)).toEqual(NOT_FOUND)
  await owner('DELETE', `/webhooks/${id}`)
})

describe('refused input', () => {
  const unknown = `must be one of ${WEBHOOK_EVENT_TYPES.join(', ')}, got`
  const CASES: [body: unknown, error: string][] = [
    [{}, 'url is required'],
    [{ url: null, eventTypes: ['agent.closed'] }, 'url is required'],
    [{ url: 5, eventTypes: ['agent.closed'] }, 'url must be text, got 5'],
    [{ url: URL }, 'eventTypes array is required'],
    [{ url: URL, eventTypes: 'agent.closed' }, 'eventTypes array is required'],
    [{ url: URL, eventTypes: null }, 'eventTypes array is required'],
    [{ url: URL, eventTypes: [] }, 'eventTypes must contain at least one event type'],
    [{ url: URL, eventTypes: ['agent.closed', 'agent.opened'] }, `eventTypes[1] ${unknown} "agent.opened"`],
    [{ url: URL, eventTypes: ['ping'] }, `eventTypes[0] ${unknown} "ping"`],
    [{ url: URL, eventTypes: [null] }, 'eventTypes[0] must be text, got null'],
    [
      { url: URL, eventTypes: ['agent.closed', 'agent.closed'] },
      'eventTypes must not contain duplicates, got agent.closed twice',
    ],
    [{ ...BODY, filterAgentPda: 'x' }, 'filterAgentPda must be a base-58 public key of 32 bytes, got "x"'],
    [{ ...BODY, filterAgentPda: 5 }, 'filterAgentPda must be text, got 5'],
    [[], 'The body must be a JSON object'],
  ]

  test.each(CASES)('POST of %j is refused', async (body, error) => {
    const response = await owner<{ error: string }>('POST', '/webhooks', body)
    expect([response.status, response.body.error]).toEqual([400, error])
    expect(documented('/webhooks', 'post', response)).toEqual([])
  })

  // ssrf.test.ts has all rules of the client that sends.
  const URLS: [url: string, problem: string][] = [
    ['', 'must be an absolute URL'],
    ['http://receiver.example.com/', 'must use https'],
    ['https://receiver.example.com:8080/', 'must use port 443 or 8443'],
    ['https://127.0.0.1/', 'must'],
    [' https://receiver.example.com/', 'must be an absolute URL in printable ASCII'],
    ['https://receiver.exämple.com/', 'must be an absolute URL in printable ASCII'],
    ['https://receiver.example.com/ä', 'must be an absolute URL in printable ASCII'],
  ]

  test.each(URLS)('the URL %s is refused in POST and PATCH', async (url, problem) => {
    const { id } = await create()
    for (const [method, path, body] of [
      ['POST', '/webhooks', { ...BODY, url }],
      ['PATCH', `/webhooks/${id}`, { url }],
    ] as const) {
      const response = await owner<{ error: string; details: unknown }>(method, path, body)
      expect([response.status, response.body.details]).toEqual([
        400,
        { code: 'RECEIVER_REFUSED', parameter: 'url' },
      ])
      expect(response.body.error).toContain(`url ${problem}`)
    }
    expect((await mine()).map((each) => each['url'])).toEqual([URL])
    await owner('DELETE', `/webhooks/${id}`)
  })

  test('a URL is stored in normal form with its host', async () => {
    const url = 'HTTPS://RECEIVER.ex%61mple.com:443/a/../'
    const { body } = await owner<{ id: string }>('POST', '/webhooks', { ...BODY, url })
    const other = await create()
    await owner('PATCH', `/webhooks/${other.id}`, { url })
    const stored = await t.kysely
      .selectFrom('webhook_subscriptions')
      .select(['url', 'host'])
      .where('id', 'in', [body.id, other.id])
      .execute()
    const normal = { url: 'https://receiver.example.com/', host: 'receiver.example.com' }
    expect(stored).toEqual([normal, normal])
    for (const { id } of [body, other]) await owner('DELETE', `/webhooks/${id}`)
  })

  test('a request for a webhook of another wallet gets 404 before its body is checked', async () => {
    const { id } = await create()
    expect(await stranger('PATCH', `/webhooks/${id}`, { url: 'x' })).toEqual(NOT_FOUND)
    expect(await stranger('PATCH', `/webhooks/${id}`, { eventTypes: [] })).toEqual(NOT_FOUND)
    expect(await stranger('POST', `/webhooks/${id}/recover`, { since: 'x' })).toEqual(NOT_FOUND)
    await owner('DELETE', `/webhooks/${id}`)
  })

  test('PATCH changes nothing if one field is invalid', async () => {
    const { id } = await create()
    const [before] = await mine()
    for (const body of [
      { url: 'https://other.example.com/', eventTypes: [] },
      { active: false, eventTypes: 'agent.closed' },
      { active: false, filterAgentPda: '' },
      { active: 'no' },
      { eventTypes: null },
    ]) {
      expect((await owner('PATCH', `/webhooks/${id}`, body)).status).toBe(400)
    }
    expect(await mine()).toEqual([before])
    await owner('DELETE', `/webhooks/${id}`)
  })
})

test('in dev mode receivers can use http and loopback addresses', async () => {
  const dev = await createAppOfTest({
    clock,
    database: t.database,
    webhookDevMode: true,
    ledger: NO_LEDGER,
  })
  const client = clientOf(dev, walletOf('developer'), clock)
  for (const url of ['http://localhost:8080/x', 'http://127.0.0.1:1/', 'https://[::1]:9/'])
    expect((await client('POST', '/webhooks', { ...BODY, url })).status).toBe(201)
  expect((await client('POST', '/webhooks', { ...BODY, url: 'http://10.0.0.1/' })).status).toBe(400)
})

test('a wallet can create 20 webhooks, also with concurrent requests to two replicas', async () => {
  const wallet = walletOf('many')
  const clients = [clientOf(t, wallet, clock), clientOf(replica, wallet, clock)]
  const creation = (i: number) => clients[i % 2]!<{ error?: string }>('POST', '/webhooks', BODY)
  const first = await Promise.all(Array.from({ length: 15 }, (_, i) => creation(i)))
  // Blocks the creations before they count, so that all of them are in progress at the same time.
  const barrier = await openSession(t.database.orm)
  await barrier.query('begin')
  await barrier.query('lock table webhook_subscriptions in share mode')
  const creations = Array.from({ length: 15 }, (_, i) => creation(i))
  await expect
    .poll(async () => {
      const { rows } = await barrier.query<{ waiting: number }>(
        'select count(*)::integer as waiting from pg_locks where not granted and database = (select oid from pg_database where datname = current_database())',
      )
      return rows[0]?.waiting
    })
    .toBeGreaterThanOrEqual(8)
  await barrier.query('commit')
  await barrier.end()
  const responses = [...first, ...(await Promise.all(creations))]
  expect(responses.filter(({ status }) => status === 201)).toHaveLength(20)
  const others = responses.filter(({ status }) => status !== 201)
  expect(others).toHaveLength(10)
  for (const each of others)
    expect(each).toEqual(refused(409, 'TOO_MANY_WEBHOOKS', 'A wallet can have at most 20 webhooks'))
  const all = await mine(clients[0])
  expect(all).toHaveLength(20)
  await clients[0]!('DELETE', `/webhooks/${all[0]!.id}`)
  expect((await clients[1]!('POST', '/webhooks', BODY)).status).toBe(201)
  expect((await clients[1]!('POST', '/webhooks', BODY)).status).toBe(409)
  expect((await owner('POST', '/webhooks', BODY)).status).toBe(201)
})

describe('deliveries', () => {
  const event = async (id: string, type: string): Promise<void> => {
    await t.kysely
      .insertInto('outbox_events')
      .values({
        id,
        event_id: id,
        type,
        agent_pda: keyOf('agent'),
        slot: 5,
        body: '{}',
        occurred_at: new Date().toISOString(),
      })
      .execute()
  }
  const enqueue = async (subscription: string, id: string, status: 'pending' | 'failed'): Promise<void> => {
    await event(id, 'agent.closed')
    await t.kysely
      .insertInto('webhook_deliveries')
      .values({
        subscription_id: subscription,
        event_id: id,
        event_type: 'agent.closed',
        status,
        attempt_count: status === 'failed' ? 1 : 0,
        next_attempt_at: status === 'pending' ? sql`now()` : null,
        completed_at: status === 'failed' ? sql`now()` : null,
      })
      .execute()
  }
  const deliveriesOf = async (id: string, query = '') =>
    owner<{ total: number; limit: number; offset: number; deliveries: Delivery[] }>(
      'GET',
      `/webhooks/${id}/deliveries${query}`,
    )

  test('list, ping, resend and recover work as documented, and disabling cancels waiting deliveries', async () => {
    const { id } = await create()
    await enqueue(id, 'evt_one', 'failed')
    await enqueue(id, 'evt_two', 'pending')
    const one = (await deliveriesOf(id)).body.deliveries.find((each) => each['event_id'] === 'evt_one')
    await t.kysely
      .insertInto('webhook_attempts')
      .values({
        delivery_id: one!.id,
        number: 1,
        trigger: 'event',
        outcome: 'failure',
        started_at: '2026-11-21T06:00:00.000Z',
        duration_ms: 12,
        response_status: 500,
        error_code: null,
        response_excerpt: 'oops',
        next_attempt_at: null,
      })
      .execute()

    const page = await deliveriesOf(id, '?limit=1&offset=1')
    expect(documented('/webhooks/{id}/deliveries', 'get', page)).toEqual([])
    expect(page.body).toMatchObject({ total: 2, limit: 1, offset: 1 })
    const whole = await deliveriesOf(id)
    expect(documented('/webhooks/{id}/deliveries', 'get', whole)).toEqual([])
    expect(whole.body.deliveries.find((each) => each.id === one!.id)).toMatchObject({
      status: 'failed',
      attempt_count: 1,
      attempts: [
        {
          number: 1,
          outcome: 'failure',
          response_status: 500,
          response_excerpt: 'oops',
          duration_ms: 12,
          started_at: '2026-11-21T06:00:00.000Z',
        },
      ],
    })
    expect((await deliveriesOf(id, '?limit=0')).status).toBe(400)
    expect((await deliveriesOf(id, '?status=x')).status).toBe(400)

    const pinged = await owner<Delivery>('POST', `/webhooks/${id}/ping`)
    expect(pinged).toMatchObject({
      status: 202,
      body: { event_type: 'ping', status: 'pending', attempts: [] },
    })
    expect(documented('/webhooks/{id}/ping', 'post', pinged)).toEqual([])

    const resent = await owner<Delivery>('POST', `/webhooks/${id}/deliveries/${one!.id}/resend`, {})
    expect(resent).toMatchObject({ status: 202, body: { id: one!.id, status: 'pending' } })
    expect(documented('/webhooks/{id}/deliveries/{deliveryId}/resend', 'post', resent)).toEqual([])
    for (const delivery of [UNKNOWN_ID, 'x', '%00'])
      expect(await owner('POST', `/webhooks/${id}/deliveries/${delivery}/resend`)).toEqual(
        refused(404, 'DELIVERY_NOT_FOUND', 'Delivery not found'),
      )

    await owner('PATCH', `/webhooks/${id}`, { active: false })
    expect((await deliveriesOf(id)).body.deliveries.map(({ status }) => status)).toEqual([
      'cancelled',
      'cancelled',
      'cancelled',
    ])
    const since = new Date(Date.now() - 3_600_000).toISOString()
    const until = new Date(Date.now() + 60_000).toISOString()
    for (const [path, body] of [
      ['ping', undefined],
      [`deliveries/${one!.id}/resend`, undefined],
      ['recover', { since, until }],
    ] as const) {
      const response = await owner<{ error: string }>('POST', `/webhooks/${id}/${path}`, body)
      expect([response.status, response.body.error]).toEqual([
        409,
        'Webhook is not active: set active to true first',
      ])
    }
    await owner('PATCH', `/webhooks/${id}`, { active: true })
    const recovered = await owner('POST', `/webhooks/${id}/recover`, { since, until })
    expect(recovered).toEqual({ status: 202, body: { recovered: 3, more: false } })
    expect(documented('/webhooks/{id}/recover', 'post', recovered)).toEqual([])
    expect((await owner<{ error: string }>('POST', `/webhooks/${id}/recover`, {})).body.error).toContain(
      'since must be',
    )

    await owner('DELETE', `/webhooks/${id}`)
    const left = await t.kysely
      .selectFrom('webhook_deliveries')
      .select('status')
      .where('subscription_id', '=', id)
      .execute()
    expect(left.map(({ status }) => status)).toEqual(['cancelled', 'cancelled', 'cancelled'])
  })

  test('only a new url and active: false cancel waiting deliveries', async () => {
    const { id } = await create()
    await enqueue(id, 'evt_waiting', 'pending')
    const change = async (body: object) => {
      expect((await owner('PATCH', `/webhooks/${id}`, body)).status).toBe(200)
      return (await deliveriesOf(id)).body.deliveries.map(({ status }) => status)
    }
    for (const body of [
      { url: BODY.url },
      { eventTypes: ['agent.closed'] },
      { filterAgentPda: null },
      { active: true },
    ])
      expect(await change(body)).toEqual(['pending'])
    expect(await change({ url: 'https://other.example.com/' })).toEqual(['cancelled'])
    await owner('DELETE', `/webhooks/${id}`)
  })

  test('a new url and active: true reset the health of the endpoint', async () => {
    const { id } = await create()
    const record = {
      disabled_at: new Date().toISOString(),
      disabled_reason: 'gone' as const,
      connect_failures: 9,
      paused_until: new Date().toISOString(),
    }
    const read = async () =>
      t.kysely.selectFrom('webhook_subscriptions').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    for (const [body, clean] of [
      [{ eventTypes: ['agent.closed'] }, false],
      [{ active: true }, true],
      [{ url: 'https://other.example.com/' }, true],
    ] as const) {
      await t.kysely.updateTable('webhook_subscriptions').set(record).where('id', '=', id).execute()
      await owner('PATCH', `/webhooks/${id}`, body)
      const { disabled_reason: reason, connect_failures: failures, paused_until: paused } = await read()
      expect([reason, failures, paused === null]).toEqual(clean ? [null, 0, true] : ['gone', 9, false])
    }
    await owner('DELETE', `/webhooks/${id}`)
  })
})

test('an empty body with a JSON content type is accepted', async () => {
  const { id } = await create()
  for (const [method, path] of [
    ['POST', `/webhooks/${id}/rotate-secret`],
    ['DELETE', `/webhooks/${id}`],
  ] as const) {
    const headers = {
      ...walletOf('owner').headers(method, path, clock.step()),
      'content-type': 'application/json',
    }
    expect((await t.app.inject({ method, url: path, headers })).statusCode).toBe(200)
  }
})

test('secrets appear neither in the database nor in the log', async () => {
  const { id, secret } = await create()
  const { body } = await owner<{ secret: string }>('POST', `/webhooks/${id}/rotate-secret`)
  const tables = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`.execute(
    t.kysely,
  )
  expect(tables.rows.length).toBeGreaterThan(10)
  const dump: string[] = []
  for (const { name } of tables.rows) {
    const { rows } = await sql<{ row: string }>`select t::text as row from ${sql.table(name)} as t`.execute(
      t.kysely,
    )
    dump.push(...rows.map(({ row }) => row))
  }
  const text = dump.join('\n')
  expect(text).toContain(id)
  for (const each of [secret, body.secret]) {
    const raw = each.slice('whsec_'.length)
    for (const form of [
      raw,
      Buffer.from(each).toString('hex'),
      Buffer.from(raw, 'base64url').toString('hex'),
    ])
      expect(`${text}${logged.join('')}`).not.toContain(form)
  }
})

test('startup fails if the key of a stored secret is missing', async () => {
  await create()
  await expect(checkStoredSecrets(t.kysely, t.secretBox)).resolves.toBeUndefined()
  const [mineAlone, both] = [[9], [9, 7]].map((keys) =>
    createSecretBox(keys.map((key) => Buffer.alloc(32, key))),
  )
  await expect(checkStoredSecrets(t.kysely, mineAlone!)).rejects.toThrow('WEBHOOK_SECRETS_KEY')
  await expect(checkStoredSecrets(t.kysely, both!)).resolves.toBeUndefined()
  const replaced = mineAlone!.seal('any', 'secret')
  const set = (until: Date) =>
    t.kysely
      .updateTable('webhook_subscriptions')
      .set({ previous_secret_encrypted: replaced, previous_secret_until: until.toISOString() })
      .execute()
  await set(new Date(Date.now() + 60_000))
  await expect(checkStoredSecrets(t.kysely, t.secretBox)).rejects.toThrow('WEBHOOK_SECRETS_KEY')
  await set(new Date(Date.now() - 60_000))
  await expect(checkStoredSecrets(t.kysely, t.secretBox)).resolves.toBeUndefined()
})

test('GraphQL has the same operations', async () => {
  const made = await owner.graphql<{ createWebhook: { id: string; secret: string } }>(
    'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { id secret message } }',
    {
      input: { url: URL, eventTypes: ['AGENT_CLOSED', 'AGENT_REGISTERED'], filterAgentPda: keyOf('agent') },
    },
  )
  const { id } = made.data.createWebhook
  type Webhook = { id: string; filterAgentPda: string; eventTypes: string[] }
  const one = await owner.graphql<{ webhooks: { nodes: Webhook[] }; webhooksPage: { webhooks: Webhook[] } }>(
    '{ webhooks { nodes { ...F } } webhooksPage { webhooks { ...F } } } fragment F on Webhook { id filterAgentPda active eventTypes }',
  )
  expect(one.data.webhooks.nodes.find((each) => each.id === id)).toMatchObject({
    filterAgentPda: keyOf('agent'),
    // In the order of `webhookEventTypes`.
    eventTypes: ['AGENT_REGISTERED', 'AGENT_CLOSED'],
  })
  expect(one.data.webhooksPage.webhooks).toEqual(one.data.webhooks.nodes)
  const update =
    'mutation ($id: String!, $input: UpdateWebhookInput!) { updateWebhook(id: $id, input: $input) { filterAgentPda active } }'
  expect((await owner.graphql(update, { id, input: {} })).data).toEqual({
    updateWebhook: { filterAgentPda: keyOf('agent'), active: true },
  })
  expect((await owner.graphql(update, { id, input: { filterAgentPda: null } })).data).toEqual({
    updateWebhook: { filterAgentPda: null, active: true },
  })
  expect((await stranger.graphql(update, { id, input: {} })).errors?.[0]?.message).toBe('Webhook not found')
  const rest = await owner.graphql<{
    pingWebhook: { id: string; eventType: string }
    rotateWebhookSecret: { secret: string }
  }>(
    'mutation ($id: String!) { pingWebhook(id: $id) { id eventType } rotateWebhookSecret(id: $id) { secret } }',
    { id },
  )
  expect(rest.data.pingWebhook.eventType).toBe('PING')
  const deliveries = await owner.graphql<Record<'webhookDeliveries' | 'webhookDeliveriesPage', object>>(
    `query ($id: String!) {
      webhookDeliveries(id: $id, first: 1) { totalCount nodes { eventType attempts { number } } }
      webhookDeliveriesPage(id: $id, limit: 1) { total deliveries { eventType attempts { number } } }
    }`,
    { id },
  )
  expect(deliveries.data).toEqual({
    webhookDeliveries: { totalCount: 1, nodes: [{ eventType: 'PING', attempts: [] }] },
    webhookDeliveriesPage: { total: 1, deliveries: [{ eventType: 'PING', attempts: [] }] },
  })
  const read =
    'query ($id: String!, $ping: String!) { webhookDelivery(id: $id, deliveryId: $ping) { eventType status body attempts { number } } }'
  const ping = rest.data.pingWebhook.id
  expect((await owner.graphql(read, { id, ping })).data).toEqual({
    webhookDelivery: {
      eventType: 'PING',
      status: 'PENDING',
      body: expect.stringContaining('"type":"ping"') as string,
      attempts: [],
    },
  })
  for (const wrong of [UNKNOWN_ID, 'x'])
    expect(await owner.graphql(read, { id, ping: wrong })).toMatchObject({
      data: { webhookDelivery: null },
      errors: [{ message: 'Delivery not found' }],
    })
  expect((await stranger.graphql(read, { id, ping })).errors?.[0]?.message).toBe('Webhook not found')
  const node = 'query ($ping: ID!) { node(id: $ping) { ... on WebhookDelivery { body } } }'
  expect((await owner.graphql(node, { ping })).data).toMatchObject({
    node: { body: expect.any(String) as string },
  })
  expect((await stranger.graphql(node, { ping })).data).toEqual({ node: null })
  expect(
    (await owner.graphql('mutation ($id: String!) { deleteWebhook(id: $id) { deletedId deleted } }', { id }))
      .data,
  ).toEqual({ deleteWebhook: { deletedId: id, deleted: true } })
})
