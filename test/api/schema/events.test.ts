import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { databaseReader } from '../../../src/registry/registry.ts'
import { createAppOfTest, useTestApp } from '../../support/app.ts'
import { insertAgents, keyOf } from '../../support/factories.ts'
import { post, query } from '../../support/graphql.ts'
import { openSse } from '../../support/subscriptions.ts'
import { planOf, recordStatements } from '../../support/statements.ts'

const statements = recordStatements()
const t = useTestApp({ listens: true, registry: databaseReader })
beforeAll(async () => {
  await insertAgents(t.kysely, ['0', '1'])
  await insertEvents(1, 12)
  // A fork removed event 4, and removed event 5 until the ledger brought it back.
  await sql`update outbox_events set cancelled_at = now() where id = 'evt_4'`.execute(t.kysely)
  await sql`
    update outbox_events set restored_sequence = nextval('outbox_events_sequence_seq')
    where id = 'evt_5'`.execute(t.kysely)
})

/** Events of three agents, every third one of a rare type. */
const insertEvents = (from: number, to: number) =>
  sql`
  insert into outbox_events (id, event_id, type, agent_pda, slot, body, occurred_at)
  select 'evt_' || i, 'ledger ' || i, type, agents.pda, 100 + i,
    json_build_object('id', 'evt_' || i, 'type', type, 'pda', agents.pda, 'slot', 100 + i,
      'timestamp', '2026-11-20T10:00:00.000Z', 'data', json_build_object('n', i))::text, now()
  from generate_series(${from}::int, ${to}::int) as i
  cross join lateral (select (array[${keyOf('agent 0')}, ${keyOf('agent 1')}, ${keyOf('agent 2')}])[i % 3 + 1] as pda) as agents
  cross join lateral (select case when i % 3 = 0 then 'agent.closed' else 'agent.updated' end as type) as types
  order by i`.execute(t.kysely)

interface Page {
  edges: { cursor: string; node: { id: string; agent: { name: string } | null } }[]
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean }
}

async function read(args: string, fields = 'id'): Promise<Page> {
  const text = `{ page: registryEvents(${args}) { edges { cursor node { ${fields} } } pageInfo { hasNextPage hasPreviousPage } } }`
  return (await query<{ page: Page }>(t, text)).page
}

const ids = ({ edges }: Page): string[] => edges.map(({ node }) => node.id)
const NEWEST_FIRST = [5, 12, 11, 10, 9, 8, 7, 6, 3, 2, 1].map((i) => `evt_${i}`)

test('the newest events are first, without removed ones, and in pages of any size', async () => {
  expect(ids(await read('first: 50'))).toEqual(NEWEST_FIRST)
  for (const size of [1, 3, 10]) {
    const forward: string[] = []
    for (let after: string | null = null; ;) {
      const page = await read(`first: ${size} after: ${JSON.stringify(after)}`)
      forward.push(...ids(page))
      if (!page.pageInfo.hasNextPage) break
      after = page.edges.at(-1)!.cursor
    }
    expect(forward).toEqual(NEWEST_FIRST)
    const backward: string[] = []
    for (let before: string | null = null; ;) {
      const page = await read(`last: ${size} before: ${JSON.stringify(before)}`)
      backward.unshift(...ids(page))
      if (!page.pageInfo.hasPreviousPage) break
      before = page.edges[0]!.cursor
    }
    expect(backward).toEqual(NEWEST_FIRST)
  }
})

test.each([
  ['filter: { types: [AGENT_CLOSED] }', [12, 9, 6, 3]],
  ['filter: { types: [AGENT_CLOSED, AGENT_UPDATED, AGENT_CLOSED] }, first: 2', [5, 12]],
  ['filter: { types: null }, first: 2', [5, 12]],
  [`filter: { agentPda: "${keyOf('agent 1')}" }`, [10, 7, 1]],
  [`filter: { agentPda: "${keyOf('agent 0')}", types: [AGENT_UPDATED] }`, []],
])('the filter %s', async (args, expected) => {
  expect(ids(await read(args))).toEqual(expected.map((i) => `evt_${i}`))
})

test.each([
  ['filter: { types: [] }', 'types must contain at least one event type'],
  ['filter: { types: [AGENT_EXPLODED] }', 'Value "AGENT_EXPLODED" does not exist in "WebhookEventType" enum'],
  ['filter: { types: ["agent.closed"] }', 'Enum "WebhookEventType" cannot represent non-enum value'],
  ['filter: { agentPda: "x" }', 'agentPda must be a base-58 public key'],
  ['after: "x"', 'after must be a cursor of this list and order'],
])('%s is refused', async (args, message) => {
  const { errors } = await post(t, `{ registryEvents(${args}) { edges { cursor } } }`)
  expect(errors).toMatchObject([{ message: expect.stringContaining(message), extensions: { status: 400 } }])
})

test('each event has its agent as it is now, in one statement; a closed agent is null', async () => {
  statements.mockClear()
  const { edges } = await read('first: 50', 'id agent { name }')
  expect(statements).toHaveBeenCalledTimes(2)
  const names = new Map(edges.map(({ node }) => [node.id, node.agent?.name ?? null]))
  expect([names.get('evt_9'), names.get('evt_10'), names.get('evt_11')]).toEqual(['0', '1', null])
})

test('each event has the name of its agent without another statement; that of a closed agent is null', async () => {
  statements.mockClear()
  const { edges } = await read('first: 3', 'id agentName')
  expect(statements).toHaveBeenCalledTimes(1)
  expect(edges.map(({ node }) => node)).toEqual([
    { id: 'evt_5', agentName: null },
    { id: 'evt_12', agentName: '0' },
    { id: 'evt_11', agentName: null },
  ])
})

test('each event has the signature of its transaction, or null, in the list and in a stream', async () => {
  await sql`
    insert into ledger_events (id, position, signature, slot, name, agent_pda, owner, data, occurred_at)
    values ('ledger 12', '1', 'the signature', 112, 'AgentUpdated', 'a', 'o', '{}', now())`.execute(t.kysely)
  const { edges } = await read('first: 3', 'id signature')
  expect(edges.map(({ node }) => node)).toEqual([
    { id: 'evt_5', signature: null },
    { id: 'evt_12', signature: 'the signature' },
    { id: 'evt_11', signature: null },
  ])
  const stream = await openSse(t.url, 'subscription { registryEvents(after: "evt_11") { id signature } }')
  expect((await stream.next())?.data).toEqual({
    registryEvents: { id: 'evt_12', signature: 'the signature' },
  })
  stream.cut()
})

test('the newest event resumes the live stream, which has the agent of each event as it is then', async () => {
  const [newest] = ids(await read('first: 1'))
  const stream = await openSse(
    t.url,
    'subscription ($after: String) { registryEvents(after: $after) { id agent { name stake { pda } } } }',
    { after: newest },
  )
  const next = async () => {
    const part = await stream.next()
    expect(part?.errors).toBeUndefined()
    return part?.data?.['registryEvents']
  }
  // Event 5 has two places in the order, and its id stands for the first.
  for (const i of [6, 7, 8]) expect(await next()).toMatchObject({ id: `evt_${i}` })
  for (const i of [9, 10, 11, 12, 5]) expect(await next()).toMatchObject({ id: `evt_${i}` })
  await insertEvents(21, 21)
  expect(await next()).toMatchObject({ id: 'evt_21', agent: { name: '0', stake: null } })
  await sql`update agents set name = 'renamed' where pda = ${keyOf('agent 0')}`.execute(t.kysely)
  await insertEvents(24, 24)
  expect(await next()).toMatchObject({ id: 'evt_24', agent: { name: 'renamed' } })
  stream.cut()
})

const REFUSED = { extensions: { code: 'RATE_LIMITED', status: 429 } }

test('each event with its agent costs units; without units the event comes without its agent', async () => {
  const poor = await createAppOfTest({
    listens: true,
    database: t.database,
    // One for the subscription, two for earlier events, and one for each of three agents.
    rateLimits: { reads: 6 },
  })
  const text = 'subscription { registryEvents(after: "evt_6") { id agent { name } again: agent { pda } } }'
  const stream = await openSse(poor.url, text)
  const parts = [await stream.next(), await stream.next(), await stream.next(), await stream.next()]
  expect(parts.map((part) => part?.data?.['registryEvents'])).toMatchObject([
    { id: 'evt_7', agent: { name: '1' } },
    { id: 'evt_8' },
    { id: 'evt_9', agent: { name: 'renamed' } },
    { id: 'evt_10', agent: null, again: null },
  ])
  expect(parts[3]?.errors).toMatchObject([REFUSED, REFUSED])
  stream.cut()
})

test('a stream has the name of the agent of each event, which needs no units', async () => {
  // One for the subscription, and two for earlier events.
  const poor = await createAppOfTest({ listens: true, database: t.database, rateLimits: { reads: 3 } })
  const text = 'subscription { registryEvents(after: "evt_21") { id agentName } }'
  const stream = await openSse(poor.url, text)
  const next = async () => (await stream.next())?.data?.['registryEvents']
  expect(await next()).toEqual({ id: 'evt_24', agentName: 'renamed' })
  for (const [i, agentName] of [
    [31, '1'],
    [32, null],
    [33, 'renamed'],
  ] as const) {
    await insertEvents(i, i)
    expect(await next()).toEqual({ id: `evt_${i}`, agentName })
  }
  stream.cut()
})

// The last test: the feed of live events reads these events, too.
test('a rare type among 100,000 events is read from its index', async () => {
  await sql`
    insert into outbox_events (id, event_id, type, agent_pda, slot, body, occurred_at)
    select 'many ' || i, 'many ' || i, case when i = 5 then 'stake.closed' else 'stake.deposited' end,
      'many', 1, '{}', now() from generate_series(1, 100000) as i`.execute(t.kysely)
  // Without a sample, so that the plan is always the same.
  await sql`alter table outbox_events alter column type set statistics 1000`.execute(t.kysely)
  await sql`analyze outbox_events`.execute(t.kysely)
  statements.mockClear()
  await post(t, '{ registryEvents(filter: { types: [STAKE_CLOSED, AGENT_CLOSED] }) { edges { cursor } } }')
  // The feed of live events can read at the same time.
  const calls = statements.mock.calls as unknown as [{ text?: string; values: unknown[] }][]
  const [statement] = calls.find(([query]) => query.text?.includes('of_type'))!
  const plan = await planOf(t.database.orm, statement, '(analyze, costs off, timing off)')
  expect(plan).toMatch(/Index Scan Backward using outbox_events_by_type on outbox_events/)
  expect(plan).not.toMatch(/Seq Scan on outbox_events|Rows Removed by Filter: \d{3}/)
})
