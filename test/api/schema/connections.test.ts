import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Connection } from '../../../src/domain/connection.ts'
import type { DeliveryRecord } from '../../../src/webhooks/deliveries.ts'
import { databaseReader } from '../../../src/registry/registry.ts'
import { useTestApp } from '../../support/app.ts'
import { agentRow, insertAgents, insertHistory, insertStakes, keyOf } from '../../support/factories.ts'
import { post, query } from '../../support/graphql.ts'
import { planOf, recordStatements } from '../../support/statements.ts'

const COUNT = 1_500
const LABELS = Array.from({ length: COUNT }, (_, i) => `agent ${i}`)

const statements = recordStatements()
const t = useTestApp({ registry: databaseReader })
beforeAll(async () => {
  await insertAgents(
    t.kysely,
    LABELS.map((label, i) =>
      agentRow(label, {
        name: i % 3 === 0 ? 'same name' : `name ${i}`,
        reputation_score: i % 7,
        created_at: new Date(Date.UTC(2026, 10, 1, 0, i % 200)).toISOString(),
      }),
    ),
  )
  await insertStakes(t.kysely, LABELS.slice(0, 90))
  await insertHistory(
    t.kysely,
    LABELS[0]!,
    Array.from({ length: 90 }, (_, i) => (i % 2 === 0 ? {} : { event_type: 'tier_updated', delta: null })),
  )
  await t.database.orm.em.getConnection().execute('analyze')
})

interface Walked {
  edges: { cursor: string; node: { pda: string; newValue: string } }[]
  pageInfo: { hasNextPage: boolean; endCursor: string | null }
}

/** All nodes of a connection, read page by page. `args` are the other arguments. */
async function walk(field: string, args: string, selection = 'pda', first = 70): Promise<string[]> {
  const found: string[] = []
  let after: string | null = null
  for (;;) {
    const given: string = `${args} first: ${first} after: ${JSON.stringify(after)}`
    const data: Record<string, Walked> = await query(
      t,
      `{ ${field}(${given}) { edges { cursor node { ${selection} } } pageInfo { hasNextPage endCursor } } }`,
    )
    const { edges, pageInfo } = data[field]!
    found.push(...edges.map(({ node }) => node.pda ?? node.newValue))
    expect(pageInfo.endCursor).toBe(edges.at(-1)?.cursor ?? null)
    if (!pageInfo.hasNextPage) return found
    after = pageInfo.endCursor
  }
}

async function listed(args: string): Promise<string[]> {
  const found: string[] = []
  for (let offset = 0; ; offset += 200) {
    const { agentsPage } = await query<{ agentsPage: { agents: { pda: string }[] } }>(
      t,
      `{ agentsPage(${args} limit: 200 offset: ${offset}) { agents { pda } } }`,
    )
    if (agentsPage.agents.length === 0) return found
    found.push(...agentsPage.agents.map(({ pda }) => pda))
  }
}

describe('agents returns the same agents as agentsPage, in the same order', () => {
  const orders = ['CREATED_AT', 'REPUTATION', 'NAME'].flatMap((field) =>
    ['ASC', 'DESC'].map((direction) => `orderBy: { field: ${field}, direction: ${direction} }`),
  )
  test.each([
    ...orders.map((each) => `filter: { minReputation: 3 } ${each}`),
    'filter: { name: "same" }',
    'filter: { name: "name 7" } orderBy: { direction: ASC }',
    'filter: { name: "name 7" } orderBy: { field: REPUTATION }',
  ])('with %s', async (args) => {
    const walked = await walk('agents', args, 'pda', 199)
    expect(walked.length).toBeGreaterThan(200)
    expect(walked).toEqual(await listed(args))
  })

  test('with one statement per page, and loaders for its nodes', async () => {
    await query(t, '{ agents(first: 50) { edges { node { pda stake { pda } } } } }')
    expect(statements).toHaveBeenCalledTimes(2)
  })

  test('agents that are registered between two pages do not move the pages', async () => {
    const first = await query<{ agents: Walked }>(
      t,
      '{ agents(first: 20) { edges { node { pda } } pageInfo { endCursor } } }',
    )
    const rest = await walk('agents', '')
    await insertAgents(t.kysely, [agentRow('latecomer', { created_at: '2026-11-20T23:00:00.000Z' })])
    const { agents } = await query<{ agents: Walked }>(
      t,
      'query ($after: String) { agents(first: 20 after: $after) { edges { node { pda } } } }',
      { after: first.agents.pageInfo.endCursor },
    )
    expect(agents.edges.map(({ node }) => node.pda)).toEqual(rest.slice(20, 40))
    await t.kysely.deleteFrom('agents').where('pda', '=', keyOf('agent latecomer')).execute()
  })

  test.each([
    ['CREATED_AT', 'agents_by_created_at'],
    ['REPUTATION', 'agents_by_reputation'],
    ['NAME', 'agents_by_name'],
  ])('a page far into the list sorted by %s starts at its cursor in the index', async (field, index) => {
    const page = `agents(orderBy: { field: ${field} } first: 200`
    const deep = await query<{ agents: Walked }>(t, `{ ${page}) { pageInfo { endCursor } } }`)
    statements.mockClear()
    const { endCursor } = deep.agents.pageInfo
    await query(t, `{ ${page} after: "${endCursor}") { edges { node { pda } } } }`)
    const [statement] = statements.mock.calls.at(-1)!
    const settings = ['set enable_seqscan = off', 'set enable_sort = off']
    const plan = await planOf(t.database.orm, statement, '', ...settings)
    expect(plan).toContain(`using ${index} `)
    expect(plan).toMatch(/Index Cond: \(+(created_at|reputation_score|name)\)?(::text)? <=/)
    // At most the rows with the same name.
    expect(plan).not.toMatch(/(^|-> {2})Sort/m)
  })
})

test('agentHistory returns the same entries as agentHistoryPage, also of one type', async () => {
  const pda = keyOf(`agent ${LABELS[0]!}`)
  const all = Array.from({ length: 90 }, (_, i) => String(251 + i)).toReversed()
  const { agentHistoryPage } = await query<{ agentHistoryPage: { history: { newValue: string }[] } }>(
    t,
    `{ agentHistoryPage(pda: "${pda}" limit: 200) { history { newValue } } }`,
  )
  expect(agentHistoryPage.history.map(({ newValue }) => newValue)).toEqual(all)
  expect(await walk('agentHistory', `pda: "${pda}"`, 'newValue', 7)).toEqual(all)
  const tiers = await walk('agentHistory', `pda: "${pda}" filter: { eventType: TIER_UPDATED }`, 'newValue', 7)
  expect(tiers).toEqual(all.filter((_, i) => i % 2 === 0))
  const empty = `{ agentHistory(pda: "${keyOf('nobody')}") { pageInfo { endCursor } } }`
  expect((await post(t, empty)).errors).toMatchObject([{ extensions: { code: 'AGENT_NOT_FOUND' } }])
})

test('stakes returns the same stakes as stakesPage', async () => {
  const all = LABELS.slice(0, 90).map((label) => keyOf(`stake ${label}`))
  const { stakesPage } = await query<{ stakesPage: { stakes: { pda: string }[] } }>(
    t,
    '{ stakesPage(limit: 200) { stakes { pda } } }',
  )
  expect(stakesPage.stakes.map(({ pda }) => pda)).toEqual(all.toSorted())
  expect(await walk('stakes', '', 'pda', 8)).toEqual(all.toSorted())
  const owner = keyOf(`owner ${LABELS[3]!}`)
  expect(await walk('stakes', `filter: { owner: "${owner}" }`)).toEqual([all[3]])
})

test('webhookDeliveries returns the deliveries of the owner, also within one millisecond', async () => {
  const wallet = keyOf('wallet')
  const id = randomUUID()
  await t.kysely
    .insertInto('webhook_subscriptions')
    .values({
      id,
      wallet,
      url: 'https://a.example',
      event_types: ['agent.updated'],
      secret_encrypted: Buffer.alloc(1),
    })
    .execute()
  await sql`
    insert into webhook_deliveries (subscription_id, event_id, event_type, created_at)
    select ${id}, 'evt_' || i, 'agent.updated', '2026-11-20T10:00:00Z'::timestamptz + i / 2 * interval '1 microsecond'
    from generate_series(1, 50) as i`.execute(t.kysely)
  const { rows } = await t.services.webhooks.listDeliveries(wallet, id, {})
  const walked: string[] = []
  let after: string | null = null
  do {
    const part: Connection<DeliveryRecord> = await t.services.webhooks.listDeliveriesConnection(wallet, id, {
      first: 7,
      after,
    })
    walked.push(...part.edges.map(({ node }) => node.id))
    after = part.hasNextPage ? part.edges.at(-1)!.cursor : null
  } while (after !== null)
  expect(walked).toEqual(rows.map((row) => row.id))
  const end = await t.services.webhooks.listDeliveriesConnection(wallet, id, { last: 7 })
  const previous = await t.services.webhooks.listDeliveriesConnection(wallet, id, {
    last: 7,
    before: end.edges[0]!.cursor,
  })
  expect([...previous.edges, ...end.edges].map(({ node }) => node.id)).toEqual(walked.slice(-14))
  expect(await end.count()).toBe(50)
  await expect(t.services.webhooks.listDeliveriesConnection(keyOf('other'), id, {})).rejects.toMatchObject({
    code: 'WEBHOOK_NOT_FOUND',
  })
  const unsigned = await post(t, `{ webhookDeliveries(id: "${id}") { edges { cursor } } }`)
  expect(unsigned.errors).toMatchObject([{ extensions: { code: 'AUTH_HEADERS_MISSING' } }])
})

describe('a connection is read from its end to its start', () => {
  interface Page extends Walked {
    pageInfo: Walked['pageInfo'] & { hasPreviousPage: boolean; startCursor: string | null }
    totalCount: number
  }
  const SELECTION =
    'totalCount edges { cursor node { pda } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }'

  test.each([
    ['agents', ''],
    ['agents', 'orderBy: { field: REPUTATION, direction: ASC }'],
    ['agents', 'orderBy: { field: NAME } filter: { minReputation: 3 }'],
    ['agents', 'filter: { name: "same" }'],
    ['stakes', ''],
    ['stakes', 'orderBy: { field: DEPOSITED_AMOUNT }'],
    ['stakes', 'orderBy: { field: DEPOSITED_AMOUNT, direction: ASC }'],
  ])('%s with %s', async (field, args) => {
    const forward = await walk(field, args, 'pda', 150)
    const found: string[] = []
    let before: string | null = null
    for (;;) {
      const text: string = `{ ${field}(${args} last: 160 before: ${JSON.stringify(before)}) { ${SELECTION} } }`
      const page: Page = (await query<Record<string, Page>>(t, text))[field]!
      found.unshift(...page.edges.map(({ node }) => node.pda))
      expect(page.totalCount).toBe(forward.length)
      expect(page.pageInfo).toEqual({
        hasPreviousPage: found.length < forward.length,
        hasNextPage: before !== null,
        startCursor: page.edges[0]?.cursor,
        endCursor: page.edges.at(-1)?.cursor,
      })
      before = page.pageInfo.startCursor
      if (!page.pageInfo.hasPreviousPage) break
    }
    expect(found).toEqual(forward)
  })

  test('agentHistory', async () => {
    const history = `agentHistory(pda: "${keyOf(`agent ${LABELS[0]!}`)}"`
    const { end } = await query<{ end: Walked }>(
      t,
      `{ end: ${history}, last: 3) { edges { cursor node { newValue } } } }`,
    )
    expect(end.edges.map(({ node }) => node.newValue)).toEqual(['253', '252', '251'])
    const { previous } = await query<{ previous: Page }>(
      t,
      `{ previous: ${history}, last: 2, before: "${end.edges[0]!.cursor}") { totalCount edges { node { newValue } } pageInfo { hasPreviousPage } } }`,
    )
    expect(previous.edges.map(({ node }) => node.newValue)).toEqual(['255', '254'])
    expect(previous).toMatchObject({ totalCount: 90, pageInfo: { hasPreviousPage: true } })
  })

  test('a page between two cursors has only the entries between them', async () => {
    const all = await query<{ agents: Page }>(t, `{ agents(first: 20) { ${SELECTION} } }`)
    const { edges } = all.agents
    const between = `after: "${edges[4]!.cursor}" before: "${edges[9]!.cursor}"`
    for (const size of ['first: 50', 'last: 50']) {
      const { agents: page } = await query<{ agents: Page }>(
        t,
        `{ agents(${size} ${between}) { ${SELECTION} } }`,
      )
      expect(page.edges).toEqual(edges.slice(5, 9))
      expect(page.pageInfo.hasPreviousPage).toBe(size === 'first: 50')
    }
  })

  test('without totalCount, nothing is counted; several of one connection are counted once', async () => {
    await query(t, '{ agents(filter: { minReputation: 2 }) { edges { cursor } } }')
    expect(statements).toHaveBeenCalledTimes(1)
    statements.mockClear()
    await query(t, '{ agents(filter: { minReputation: 2 }) { a: totalCount b: totalCount } }')
    expect(statements).toHaveBeenCalledTimes(2)
  })
})

describe('an invalid cursor or page size is refused', () => {
  const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const NOBODY = keyOf('nobody')
  test.each([
    ['not base64', '€'],
    ['empty', ''],
    ['not a list', encoded({ a: 1 })],
    ['nested too deeply', '['.repeat(400)],
    ['of another list', encoded(['stakes', NOBODY])],
    ['of another order', encoded(['agents/created_at/asc', '2026-11-20T10:00:00.000Z', NOBODY])],
    ['an invalid time', encoded(['agents/created_at/desc', '2026-13-41T10:00:00.000Z', NOBODY])],
    ['a number instead of a time', encoded(['agents/created_at/desc', 5, NOBODY])],
    ['a text with NUL', encoded(['agents/created_at/desc', '2026-11-20T10:00:00.000Z', 'a\0'])],
    [
      'a text with half a character',
      encoded(['agents/created_at/desc', '2026-11-20T10:00:00.000Z', '\ud800']),
    ],
    [
      'a list with one part too many',
      encoded(['agents/created_at/desc', '2026-11-20T10:00:00.000Z', NOBODY, 1]),
    ],
  ])('for a cursor that is %s', async (_, after) => {
    const { errors } = await post(
      t,
      'query ($after: String) { agents(after: $after) { edges { cursor } } }',
      { after },
    )
    expect(errors).toMatchObject([
      {
        message: expect.stringMatching(/^after must be a cursor of this list and order, got /),
        extensions: { code: 'INVALID_CURSOR', status: 400 },
      },
    ])
  })

  test.each([
    ['orderBy: { field: REPUTATION }', 'agents/reputation/desc', -1],
    ['orderBy: { field: REPUTATION }', 'agents/reputation/desc', 0.5],
    ['orderBy: { field: REPUTATION }', 'agents/reputation/desc', 2 ** 31],
    ['filter: { name: "same" }', 'agents/similarity/desc', -0.5],
    ['filter: { name: "same" }', 'agents/similarity/desc', 1.5],
    ['filter: { name: "same" }', 'agents/similarity/desc', '0.5'],
    ['', 'agents/created_at/desc', '0000-01-01T00:00:00.000Z'],
    ['', 'agents/created_at/desc', '2026-02-30T00:00:00.000Z'],
  ])('for a cursor with a value that no agent has: %s, %s, %s', async (args, list, value) => {
    const after = encoded([list, value, NOBODY])
    const { errors } = await post(t, `{ agents(${args} after: "${after}") { edges { cursor } } }`)
    expect(errors).toMatchObject([{ extensions: { code: 'INVALID_CURSOR' } }])
  })

  test('for first together with last', async () => {
    const { errors } = await post(t, '{ stakes(first: 1 last: 1) { edges { cursor } } }')
    expect(errors).toMatchObject([
      { message: 'Provide first or last, not both', extensions: { status: 400 } },
    ])
  })

  test.each([0, 201])('for first: %i', async (first) => {
    const { errors } = await post(t, `{ stakes(first: ${first}) { edges { cursor } } }`)
    expect(errors).toMatchObject([{ message: `first must be an integer from 1 to 200, got ${first}` }])
  })
})
