import { randomUUID } from 'node:crypto'
import { encodeBase58 } from '@agent-registry/solana'
import { sql } from 'kysely'
import type { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WEBHOOK_EVENT_TYPES } from '../../../src/domain/webhook-events.ts'
import type { Indexer } from '../../../src/ledger/indexer/indexer.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { databaseReader } from '../../../src/registry/registry.ts'
import {
  createTestApp,
  FIXED_NOW,
  GENESIS_LEDGER,
  type TestApp,
  type TestAppOptions,
  useTestApp,
  createAppOfTest,
} from '../../support/app.ts'
import type { Json } from '../../support/identity/issuer.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { rowsOfEveryEvent } from '../../support/event-rows.ts'
import {
  agentRow,
  credentialRow,
  insertAgents,
  insertHistory,
  insertStakes,
  keyOf,
} from '../../support/factories.ts'
import { causeEveryEvent } from '../../support/ledger/every-event.ts'
import {
  type AgentWallet,
  createRegistryWorld,
  programId,
  type RegistryWorld,
} from '../../support/ledger/registry-world.ts'
import { worldIndexer } from '../../support/ledger/indexer.ts'
import { bearer, signIn, signInWallet } from '../../support/sign-in.ts'
import { recordStatements } from '../../support/statements.ts'
import { openSse } from '../../support/subscriptions.ts'
import { TYPED, typedEvent } from './typed-events.ts'
import { steppingClock } from '../../support/wallet-client.ts'
import { type TestWallet, walletOf } from '../../support/wallet.ts'

type Headers = Record<string, string>

interface Answer {
  readonly status: number
  /** Units of the limit that are left. Null without limits. */
  readonly left: string | null
  readonly text: string
  readonly data: Json
  readonly errors?: { message: string; path?: unknown[]; extensions: { code: string; status: number } }[]
}

/** Sends an operation over HTTP. */
async function ask(
  base: string,
  query: string,
  variables: object = {},
  headers: Headers = {},
): Promise<Answer> {
  const response = await fetch(`${base}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query, variables }),
  })
  const text = await response.text()
  const left = response.headers.get('ratelimit-remaining')
  return { status: response.status, left, text, ...(JSON.parse(text) as Pick<Answer, 'data' | 'errors'>) }
}

/** A second app on the database of the first, until the test has ended. */
async function secondApp(options: Partial<TestAppOptions> = {}): Promise<[base: string, app: TestApp]> {
  const app = await createAppOfTest({ listens: true, database: t.database, clock, ...options })
  return [app.url, app]
}

const refusal = ({ errors }: Answer) =>
  errors?.map(({ extensions: { code, status } }) => `${status} ${code}`).join()

async function compiledAnswers({ app }: TestApp): Promise<number> {
  return Number(/^gateway_graphql_compiled_total (\d+)$/m.exec((await app.inject('/metrics')).body)![1])
}

const statements = recordStatements()
const clock = steppingClock(FIXED_NOW)
const ada = walletOf('front-end Ada')
const bob = walletOf('front-end Bob')
const nobody = walletOf('front-end nobody')
const ADA = keyOf('agent Ada')
const EVENTS_OF_ADA = rowsOfEveryEvent('Ada')
const TRANSACTION = randomUUID()
const UNKNOWN = randomUUID()

const t = useTestApp({ listens: true, clock, ledger: GENESIS_LEDGER, registry: databaseReader })
let databaseName: unknown
/** The webhooks of Ada, oldest first. Their agents: Ada’s, an unknown one, none. */
let webhooks: string[]
let pings: string[]
const signed = (wallet: TestWallet): Headers => wallet.headers('POST', '/graphql', clock.step())
const send = (query: string, variables?: object, headers?: Headers) => ask(t.url, query, variables, headers)
const sendAs = (wallet: TestWallet, query: string, variables?: object) =>
  send(query, variables, signed(wallet))
/** The data of an operation that must succeed. */
async function read(query: string, variables?: object, headers?: Headers): Promise<Json> {
  const { data, errors } = await send(query, variables, headers)
  expect(errors).toBeUndefined()
  return data
}
const readAs = (wallet: TestWallet, query: string, variables?: object) =>
  read(query, variables, signed(wallet))
/** Statements for this database. Other test files may use other databases. */
const asked = (): number =>
  statements.mock.contexts.filter(
    (each) => (each as Client & { database?: unknown }).database === databaseName,
  ).length

const CREATE = `mutation ($input: CreateWebhookInput!) {
  createWebhook(input: $input) { id secret webhook { id url eventTypes filterAgentPda agent { pda } } }
}`
const inputOf = (filterAgentPda: string | null, eventTypes = ['AGENT_CLOSED']) => ({
  input: { url: 'https://receiver.example.com/hook', eventTypes, filterAgentPda },
})

beforeAll(async () => {
  databaseName = (await sql<{ name: string }>`select current_database() as name`.execute(t.kysely)).rows[0]
    ?.name
  await insertAgents(t.kysely, [
    agentRow('Ada', {
      owner: ada.pubkey,
      tier: 'basic',
      status: 'suspended',
      service_category: 'dataAnalysis',
      capabilities: '41',
    }),
    agentRow('Bob', { owner: bob.pubkey, tier: 'premium', service_category: 'contentCreation' }),
    agentRow('Cyd', { capabilities: '18446744073709551615' }),
  ])
  await insertStakes(t.kysely, ['Ada'])
  const changes = [
    {},
    { event_type: 'tier_updated' as const, old_value: 'observer', new_value: 'basic', delta: null },
    { event_type: 'status_changed' as const, old_value: 'active', new_value: 'suspended', delta: null },
    { event_type: 'metadata_updated' as const, old_value: '{}', new_value: '{}', delta: null },
  ]
  await insertHistory(t.kysely, 'Ada', changes)
  await insertHistory(t.kysely, 'Bob', [{}])
  await t.kysely
    .insertInto('agent_credentials')
    .values([
      ...Array.from({ length: 5 }, (_, i) =>
        credentialRow('Ada', `${i}`, { indexed_at: new Date(FIXED_NOW - i * 60_000).toISOString() }),
      ),
      credentialRow('Bob', 'of Bob'),
    ])
    .execute()
  await t.kysely
    .insertInto('outbox_events')
    .values([...EVENTS_OF_ADA, ...rowsOfEveryEvent('Gone')])
    .execute()
  await sql`update outbox_events set cancelled_at = now() where id = 'evt_Gone_3'`.execute(t.kysely)
  await t.kysely
    .insertInto('prepared_transactions')
    .values({
      id: TRANSACTION,
      status: 'simulated',
      message: '',
      last_valid_block_height: 1_000,
      blockhash_slot: 1,
      next_check_at: '2100-01-01T00:00:00.000Z',
      created_at: new Date(FIXED_NOW).toISOString(),
    })
    .execute()
  webhooks = []
  for (const agent of [ADA, keyOf('unknown agent'), null])
    webhooks.push((await readAs(ada, CREATE, inputOf(agent))).createWebhook.id)
  pings = []
  for (const id of [webhooks[0], webhooks[0], webhooks[0], webhooks[2]])
    pings.push(
      (await readAs(ada, 'mutation ($id: String!) { pingWebhook(id: $id) { id } }', { id })).pingWebhook.id,
    )
})

describe('viewer', () => {
  const VIEWER =
    '{ viewer { wallet agent { name } session { wallet createdAt lastUsedAt expiresAt } webhooks { totalCount nodes { id } } } }'

  test('of a signed request has the wallet with its agent and its webhooks, and no session', async () => {
    expect(await readAs(ada, VIEWER)).toEqual({
      viewer: {
        wallet: ada.pubkey,
        agent: { name: 'Ada' },
        session: null,
        webhooks: { totalCount: 3, nodes: webhooks.map((id) => ({ id })) },
      },
    })
    expect((await readAs(nobody, VIEWER)).viewer).toEqual({
      wallet: nobody.pubkey,
      agent: null,
      session: null,
      webhooks: { totalCount: 0, nodes: [] },
    })
  })

  test('of a session has the session too, until it ends', async () => {
    const headers = bearer(await signIn(t, signInWallet('front-end Ada')))
    const { viewer } = await read(VIEWER, {}, headers)
    expect(viewer).toMatchObject({ wallet: ada.pubkey, agent: { name: 'Ada' }, webhooks: { totalCount: 3 } })
    expect(viewer.session).toEqual(
      (await read('{ session { wallet createdAt lastUsedAt expiresAt } }', {}, headers)).session,
    )
    expect(viewer.session.wallet).toBe(ada.pubkey)
    await read('mutation { endSession { ended } }', {}, headers)
    expect(refusal(await send(VIEWER, {}, headers))).toBe('401 SESSION_INVALID')
  })

  test('is refused without a login', async () => {
    const answer = await send(VIEWER)
    expect([refusal(answer), answer.data]).toEqual(['401 AUTH_HEADERS_MISSING', null])
  })
})

describe('node and nodes', () => {
  const NODES = `query ($ids: [ID!]!) { nodes(ids: $ids) {
    __typename id
    ... on Agent { name } ... on Stake { depositedAmount } ... on Credential { vcHash }
    ... on RegistryEvent { type } ... on Transaction { status } ... on Webhook { url } ... on WebhookDelivery { eventType }
  } }`
  const NODE = 'query ($id: ID!) { node(id: $id) { __typename id } }'
  /** The ids that other fields return, by type. */
  async function idsByType(): Promise<Record<string, string>> {
    const { agent, transaction, registryEvents } = await read(
      `query ($pda: Pubkey!, $id: String!) {
        agent(pda: $pda) { id stake { id } credentials(first: 1) { nodes { id } } }
        transaction(id: $id) { id }
        registryEvents(first: 1, filter: { agentPda: $pda, types: [STAKE_DEPOSITED] }) { nodes { id } }
      }`,
      { pda: ADA, id: TRANSACTION },
    )
    return {
      Agent: agent.id,
      Stake: agent.stake.id,
      Credential: agent.credentials.nodes[0].id,
      StakeDepositedEvent: registryEvents.nodes[0].id,
      Transaction: transaction.id,
      Webhook: webhooks[0]!,
      WebhookDelivery: pings[0]!,
    }
  }

  test('return an object of each type by the id that other fields return, in the order of the ids', async () => {
    const types = await idsByType()
    const ids = Object.values(types)
    expect(new Set(ids).size).toBe(7)
    const details: Record<string, object> = {
      Agent: { name: 'Ada' },
      Stake: { depositedAmount: '600000000' },
      Credential: { vcHash: credentialRow('Ada', '0').vc_hash },
      StakeDepositedEvent: { type: 'STAKE_DEPOSITED' },
      Transaction: { status: 'SIMULATED' },
      Webhook: { url: 'https://receiver.example.com/hook' },
      WebhookDelivery: { eventType: 'PING' },
    }
    const all = Object.entries(types).map(([__typename, id]) =>
      Object.assign({ __typename, id }, details[__typename]),
    )
    expect((await readAs(ada, NODES, { ids })).nodes).toEqual(all)
    expect((await readAs(ada, NODES, { ids: ids.toReversed() })).nodes).toEqual(all.toReversed())
    expect((await readAs(ada, NODES, { ids: [ids[0], ids[0]] })).nodes).toEqual([all[0], all[0]])
    for (const [__typename, id] of Object.entries(types))
      expect(await readAs(ada, NODE, { id })).toEqual({ node: { __typename, id } })
  })

  test('return null for what does not exist, also between objects that do', async () => {
    const { Agent = '' } = await idsByType()
    const missing = [UNKNOWN, 'evt_unknown', 'evt_', 'evt_\0', 'evt_Gone_3', 'evt_Gone_99']
    const { nodes } = await readAs(ada, NODES, { ids: [...missing, Agent] })
    expect(nodes.map((each: Json) => each?.id ?? null)).toEqual([...missing.map(() => null), Agent])
    expect((await readAs(ada, NODES, { ids: [] })).nodes).toEqual([])
  })

  test.each([
    ['another wallet', () => signed(bob)],
    ['nobody', () => ({})],
  ])('return null for webhooks and deliveries to %s, and the other objects', async (_, headersOf) => {
    const { Webhook, WebhookDelivery, Transaction, Agent } = await idsByType()
    const ids = [Webhook, WebhookDelivery, Transaction, Agent]
    const { nodes } = await read(NODES, { ids }, headersOf())
    expect(nodes.map((each: Json) => each?.__typename ?? null)).toEqual([null, null, 'Transaction', 'Agent'])
    expect(await read(NODE, { id: Webhook }, headersOf())).toEqual({ node: null })
    expect(await read(NODE, { id: WebhookDelivery }, headersOf())).toEqual({ node: null })
  })

  test('return null for a webhook that was deleted, whose deletion names it', async () => {
    const { id, webhook } = (await readAs(bob, CREATE, inputOf(null))).createWebhook
    expect(webhook.id).toBe(id)
    expect((await readAs(bob, NODE, { id })).node).toEqual({ __typename: 'Webhook', id })
    const text = 'mutation ($id: String!) { deleteWebhook(id: $id) { deletedId deleted } }'
    expect(await readAs(bob, text, { id })).toEqual({ deleteWebhook: { deletedId: id, deleted: true } })
    expect((await readAs(bob, NODE, { id })).node).toBeNull()
  })

  test('refuse a login that is wrong, instead of returning null', async () => {
    const answer = await send(NODE, { id: webhooks[0] }, bearer(`ars_${'A'.repeat(43)}`))
    expect(refusal(answer)).toBe('401 SESSION_INVALID')
  })

  test('accept 100 ids and refuse more', async () => {
    const { Agent, Stake } = await idsByType()
    const ids = Array.from({ length: 101 }, (_, i) => (i % 2 === 0 ? Agent : Stake))
    expect((await read(NODES, { ids: ids.slice(1) })).nodes).toHaveLength(100)
    const answer = await send(NODES, { ids })
    expect(answer.errors).toMatchObject([
      {
        message: 'ids must contain at most 100 values',
        extensions: { code: 'INVALID_REQUEST', status: 400 },
      },
    ])
  })

  test('return the other objects if an id is wrong', async () => {
    const { Agent, Stake } = await idsByType()
    const answer = await send(NODES, { ids: [Agent, 'x', Stake] })
    expect(answer.data.nodes.map((each: Json) => each?.id ?? null)).toEqual([Agent, null, Stake])
    expect(answer.errors).toMatchObject([{ path: ['nodes', 1], extensions: { code: 'INVALID_NODE_ID' } }])
  })

  test.each(['', 'x', UNKNOWN.toUpperCase(), 'Agent:x'])('refuse the id %j', async (id) => {
    expect(refusal(await send(NODE, { id }))).toBe('400 INVALID_NODE_ID')
    expect(refusal(await send(NODES, { ids: [id] }))).toBe('400 INVALID_NODE_ID')
  })

  test('are one authentication, however many ids may belong to a wallet', async () => {
    const [base] = await secondApp({ rateLimits: { authenticated: 2 } })
    const text = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }'
    const ids = Array.from({ length: 60 }, () => UNKNOWN)
    const answer = await ask(base, text, { ids })
    expect(answer.data.nodes).toEqual(ids.map(() => null))
    expect(answer.errors).toBeUndefined()
  })

  test('each id costs a unit', async () => {
    const [base] = await secondApp({ rateLimits: { reads: 100 } })
    const text = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }'
    const ids = Array.from({ length: 60 }, () => UNKNOWN)
    expect((await ask(base, text, { ids })).left).toBe('40')
    expect((await ask(base, text, { ids: ids.slice(0, 3) })).left).toBe('37')
    expect(refusal(await ask(base, text, { ids }))).toBe('429 RATE_LIMITED')
    // The refusal cost a unit, too.
    const nested =
      'query ($ids: [ID!]!) { nodes(ids: $ids) { ... on RegistryEvent { transaction { fee } } } }'
    expect((await ask(base, nested, { ids: ids.slice(0, 3) })).left).toBe('3')
  })
})

describe('edges', () => {
  test('lead from a webhook to its agent and its deliveries, and from a delivery to its webhook', async () => {
    const text = `{ viewer { webhooks { nodes {
      id agent { pda } deliveries(first: 2) { totalCount nodes { id webhook { id agent { name } } } pageInfo { hasNextPage } }
    } } } }`
    const { viewer } = await readAs(ada, text)
    const [first, second, third] = viewer.webhooks.nodes
    expect([first.agent, second.agent, third.agent]).toEqual([{ pda: ADA }, null, null])
    expect(first.deliveries).toEqual({
      totalCount: 3,
      nodes: pings
        .slice(1, 3)
        .toReversed()
        .map((id) => ({ id, webhook: { id: webhooks[0], agent: { name: 'Ada' } } })),
      pageInfo: { hasNextPage: true },
    })
    expect(second.deliveries).toEqual({ totalCount: 0, nodes: [], pageInfo: { hasNextPage: false } })
    expect(third.deliveries.nodes).toEqual([{ id: pings[3], webhook: { id: webhooks[2], agent: null } }])
  })

  test('lead from webhooks to their last deliveries, in one statement for all', async () => {
    const text = '{ viewer { webhooks { nodes { id lastDelivery { id webhook { id } } } } } }'
    await readAs(ada, '{ viewer { webhooks { nodes { id } } } }')
    statements.mockClear()
    await readAs(ada, '{ viewer { webhooks { nodes { id } } } }')
    const without = asked()
    statements.mockClear()
    const { viewer } = await readAs(ada, text)
    // The deliveries, and their webhooks.
    expect(asked()).toBe(without + 2)
    expect(viewer.webhooks.nodes).toEqual([
      { id: webhooks[0], lastDelivery: { id: pings[2], webhook: { id: webhooks[0] } } },
      { id: webhooks[1], lastDelivery: null },
      { id: webhooks[2], lastDelivery: { id: pings[3], webhook: { id: webhooks[2] } } },
    ])
  })

  test('the log tells of which event a test event is an example, without another statement', async () => {
    const [, id] = webhooks
    const ping = 'mutation ($id: String!) { plain: pingWebhook(id: $id) { id exampleOf } example: '
    const text = `${ping} pingWebhook(id: $id, exampleOf: STAKE_CLOSED) { id exampleOf } }`
    const { plain, example } = await readAs(ada, text, { id })
    expect([plain.exampleOf, example.exampleOf]).toEqual([null, 'STAKE_CLOSED'])
    const log = (fields: string) =>
      `query ($id: String!) { webhookDeliveries(id: $id) { nodes { ${fields} } } }`
    statements.mockClear()
    await readAs(ada, log('id'), { id })
    const without = asked()
    statements.mockClear()
    const { webhookDeliveries } = await readAs(ada, log('id eventType exampleOf'), { id })
    expect(asked()).toBe(without)
    expect(webhookDeliveries.nodes).toEqual([
      { id: example.id, eventType: 'PING', exampleOf: 'STAKE_CLOSED' },
      { id: plain.id, eventType: 'PING', exampleOf: null },
    ])
    await t.kysely.deleteFrom('webhook_deliveries').where('id', 'in', [plain.id, example.id]).execute()
  })

  test('lead to the last delivery of a webhook only for its owner', async () => {
    const text = `query ($id: ID!) {
      node(id: $id) { ... on Webhook { lastDelivery { id body } } }
      webhooks { nodes { id lastDelivery { id body } } }
    }`
    const given = { id: webhooks[0] }
    const { node, webhooks: own } = await readAs(ada, text, given)
    expect([node.lastDelivery.id, own.nodes.length]).toEqual([pings[2], 3])
    const session = bearer(await signIn(t, signInWallet('front-end Bob')))
    expect(await read(text, given, session)).toEqual({ node: null, webhooks: { nodes: [] } })
  })

  test('lead to the webhook from every mutation and query of a delivery or a secret', async () => {
    const [id] = webhooks
    const deliveryId = pings[0]
    const webhook = { id }
    const query = `query ($id: String!, $deliveryId: String!) {
      webhookDelivery(id: $id, deliveryId: $deliveryId) { webhook { id } }
      webhookDeliveries(id: $id) { nodes { webhook { id } } }
      webhookDeliveriesPage(id: $id) { deliveries { webhook { id } } }
    }`
    expect(await readAs(ada, query, { id, deliveryId })).toEqual({
      webhookDelivery: { webhook },
      webhookDeliveries: { nodes: [{ webhook }, { webhook }, { webhook }] },
      webhookDeliveriesPage: { deliveries: [{ webhook }, { webhook }, { webhook }] },
    })
    const mutation = `mutation ($id: String!, $deliveryId: String!) {
      resendWebhookDelivery(id: $id, deliveryId: $deliveryId) { webhook { id } }
      rotateWebhookSecret(id: $id) { secret webhook { id } }
      updateWebhook(id: $id, input: { eventTypes: [AGENT_CLOSED, STAKE_WITHDRAWAL_REQUESTED] }) { id eventTypes agent { pda } }
    }`
    expect(await readAs(ada, mutation, { id, deliveryId })).toEqual({
      resendWebhookDelivery: { webhook },
      rotateWebhookSecret: { secret: expect.stringMatching(/^whsec_/), webhook },
      updateWebhook: { id, eventTypes: ['AGENT_CLOSED', 'STAKE_WITHDRAWAL_REQUESTED'], agent: { pda: ADA } },
    })
  })

  test('each webhook of a list costs a unit for its deliveries', async () => {
    const text = (first: number) =>
      `{ viewer { webhooks(first: ${first}) { nodes { deliveries(first: 1) { nodes { id } } } } } }`
    const headers = [signed(ada), signed(ada)]
    const [base] = await secondApp({ rateLimits: { reads: 100 } })
    expect((await ask(base, text(10), {}, headers[0])).left).toBe('89')
    expect((await ask(base, text(20), {}, headers[1])).left).toBe('68')
  })

  test('lead from a credential to its agent, in one statement for all', async () => {
    const text = '{ agents { nodes { pda credentials { nodes { agentPda agent { pda name } } } } } }'
    await read(text)
    statements.mockClear()
    const { agents } = await read(text)
    // Agents, credentials, agents by key.
    expect(asked()).toBe(3)
    const found = agents.nodes.flatMap((each: Json) => each.credentials.nodes)
    expect(found).toHaveLength(6)
    for (const { agentPda, agent } of found) expect(agent.pda).toBe(agentPda)
    const listed = await read(
      `{ credentials(pda: "${ADA}", first: 1) { nodes { agent { name } } } credentialsPage(pda: "${ADA}") { credentials { agent { name } } } }`,
    )
    expect(listed.credentials.nodes).toEqual([{ agent: { name: 'Ada' } }])
    expect(listed.credentialsPage.credentials).toHaveLength(5)
  })

  test('lead from agents to their histories in one statement, with cursors for each', async () => {
    const text = `query ($after: String) { agents(orderBy: { field: NAME, direction: ASC }) { nodes {
      name history(first: 2, after: $after) { edges { cursor node { eventType } } nodes { eventType } pageInfo { hasNextPage hasPreviousPage endCursor } }
    } } }`
    await read(text)
    statements.mockClear()
    const { agents } = await read(text)
    expect(asked()).toBe(2)
    const [first, second, third] = agents.nodes.map((each: Json) => each.history)
    expect(first.nodes).toEqual([{ eventType: 'METADATA_UPDATED' }, { eventType: 'STATUS_CHANGED' }])
    expect(first.edges.map((each: Json) => each.node)).toEqual(first.nodes)
    expect(first.pageInfo).toEqual({
      hasNextPage: true,
      hasPreviousPage: false,
      endCursor: first.edges[1].cursor,
    })
    expect([second.nodes, third.nodes]).toEqual([[{ eventType: 'REPUTATION_UPDATED' }], []])
    const rest = await read(text, { after: first.pageInfo.endCursor })
    expect(rest.agents.nodes[0].history.nodes).toEqual([
      { eventType: 'TIER_UPDATED' },
      { eventType: 'REPUTATION_UPDATED' },
    ])
    expect(rest.agents.nodes[0].history.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true })
    const last = await read(
      `{ agent(pda: "${ADA}") { history(last: 1) { totalCount nodes { eventType } } } }`,
    )
    expect(last.agent.history).toEqual({ totalCount: 4, nodes: [{ eventType: 'REPUTATION_UPDATED' }] })
    const refused = await send(text, { after: 'x' })
    // Each agent of the list has the error.
    expect(new Set(refused.errors?.map(({ extensions }) => extensions.code))).toEqual(
      new Set(['INVALID_CURSOR']),
    )
  })

  test('lead from an agent to its events, by type and in pages of both directions', async () => {
    const ids = EVENTS_OF_ADA.map(({ id }) => id).toReversed()
    const eventsOf = async (args: string): Promise<Json> =>
      (
        await read(
          `{ agent(pda: "${ADA}") { events(${args}) { edges { cursor } nodes { id agent { name } } pageInfo { hasNextPage hasPreviousPage } } } }`,
        )
      ).agent.events
    const idsOf = ({ nodes }: Json) => nodes.map((each: Json) => each.id)
    const first = await eventsOf('first: 5')
    expect(idsOf(first)).toEqual(ids.slice(0, 5))
    expect(first.nodes[0].agent).toEqual({ name: 'Ada' })
    expect(idsOf(await eventsOf(`first: 200, after: "${first.edges[4].cursor}"`))).toEqual(ids.slice(5))
    const last = await eventsOf('last: 5')
    expect(idsOf(last)).toEqual(ids.slice(-5))
    expect(last.pageInfo).toEqual({ hasNextPage: false, hasPreviousPage: true })
    expect(idsOf(await eventsOf(`last: 2, before: "${last.edges[0].cursor}"`))).toEqual(ids.slice(-7, -5))
    expect(idsOf(await eventsOf('first: 50, types: [AGENT_CLOSED, STAKE_WITHDRAWN]'))).toEqual([
      'evt_Ada_10',
      'evt_Ada_8',
    ])
    const none = await read(`{ agents { nodes { name events(first: 1) { nodes { agentPda } } } } }`)
    expect(none.agents.nodes.filter((each: Json) => each.events.nodes.length > 0)).toEqual([
      { name: 'Ada', events: { nodes: [{ agentPda: ADA }] } },
    ])
    expect(refusal(await send(`{ agent(pda: "${ADA}") { events(after: "x") { nodes { id } } } }`))).toBe(
      '400 INVALID_CURSOR',
    )
    expect(refusal(await send(`{ agent(pda: "${ADA}") { events(types: []) { nodes { id } } } }`))).toBe(
      '400 INVALID_REQUEST',
    )
  })

  test('the events of each agent cost a unit, and each transaction of an event ten', async () => {
    const [base] = await secondApp({ rateLimits: { reads: 100 } })
    const left = async (text: string) => (await ask(base, text)).left
    expect(await left('{ agents(first: 20) { nodes { events(first: 1) { nodes { id } } } } }')).toBe('79')
    expect(await left('{ registryEvents(first: 3) { nodes { transaction { fee } } } }')).toBe('48')
    const one = '... on AgentClosedEvent { transaction { fee } }'
    expect(await left(`{ registryEvents(first: 2) { nodes { ${one} } } }`)).toBe('27')
    expect(refusal(await ask(base, `{ registryEvents(first: 3) { nodes { ${one} } } }`))).toBe(
      '429 RATE_LIMITED',
    )
  })
})

describe('enums', () => {
  const DOCUMENT = `query ($tiers: [Tier!] = [BASIC, PREMIUM], $order: AgentOrder, $types: [WebhookEventType!]) {
    agents(filter: { tiers: $tiers, categories: [DATA_ANALYSIS, CONTENT_CREATION] }, orderBy: $order) { nodes {
      name tier status serviceCategory capabilityNames card { state }
      history(filter: { eventType: TIER_UPDATED }) { nodes { eventType oldTier newTier } }
    } }
    registryEvents(filter: { types: $types, agentPda: "${ADA}" }, first: 1) { nodes {
      type
      ... on AgentTierUpdatedEvent { previousTier newTier }
      ... on AgentStatusChangedEvent { previousStatus newStatus status }
      ... on AgentUpdatedEvent { changes { serviceCategory { old new } } }
    } }
    registryStats { byCategory { category agents } byTier { tier agents } byStatus { status agents } }
  }`
  const VARIABLES = { order: { field: 'REPUTATION', direction: 'ASC' }, types: ['AGENT_TIER_UPDATED'] }

  test('are names in requests and responses, at the first use of a document and when it is compiled', async () => {
    const [base, fresh] = await secondApp()
    const first = await ask(base, DOCUMENT, VARIABLES)
    expect(first.errors).toBeUndefined()
    expect(first.data.agents.nodes).toContainEqual({
      name: 'Ada',
      tier: 'BASIC',
      status: 'SUSPENDED',
      serviceCategory: 'DATA_ANALYSIS',
      capabilityNames: ['BUY', 'ESCROW_RELEASE', 'ARBITRATE'],
      card: { state: 'UNCHECKED' },
      history: { nodes: [{ eventType: 'TIER_UPDATED', oldTier: 'OBSERVER', newTier: 'BASIC' }] },
    })
    expect(first.data.agents.nodes.map((each: Json) => each.name).toSorted()).toEqual(['Ada', 'Bob'])
    expect(first.data.registryEvents.nodes).toEqual([
      { type: 'AGENT_TIER_UPDATED', previousTier: 'OBSERVER', newTier: 'STANDARD' },
    ])
    expect(first.data.registryStats.byCategory).toContainEqual({ category: 'DATA_ANALYSIS', agents: 1 })
    expect(first.data.registryStats.byTier.map((each: Json) => each.tier)).toEqual([
      'OBSERVER',
      'BASIC',
      'STANDARD',
      'PREMIUM',
    ])
    // The third use compiles it.
    for (let i = 2; i <= 3; i += 1) expect((await ask(base, DOCUMENT, VARIABLES)).text).toBe(first.text)
    expect(await compiledAnswers(fresh)).toBe(0)
    expect((await ask(base, DOCUMENT, VARIABLES)).text).toBe(first.text)
    expect(await compiledAnswers(fresh)).toBe(1)
    const variants: [variables: object, event: object][] = [
      [
        { tiers: 'PREMIUM', types: ['AGENT_STATUS_CHANGED'] },
        {
          type: 'AGENT_STATUS_CHANGED',
          previousStatus: 'ACTIVE',
          newStatus: 'INACTIVE',
          status: 'SUSPENDED',
        },
      ],
      [
        { tiers: null, types: ['AGENT_UPDATED'], order: { field: 'NAME' } },
        {
          type: 'AGENT_UPDATED',
          changes: { serviceCategory: { old: 'RESEARCH', new: 'CONTENT_CREATION' } },
        },
      ],
    ]
    for (const [variables, event] of variants) {
      const compiled = await ask(base, DOCUMENT, variables)
      expect(compiled.data.registryEvents.nodes).toEqual([event])
      // A document that is not the same text is not compiled.
      expect((await ask(base, `${DOCUMENT} `, variables)).text).toBe(compiled.text)
    }
    expect(await compiledAnswers(fresh)).toBe(3)
    // REST has the texts.
    const rest = await fresh.app.inject('/agents?tier=basic&category=dataAnalysis')
    expect(rest.json()).toMatchObject({ agents: [{ tier: 'basic', status: 'suspended' }] })
  })

  test('are refused as texts, also by a compiled document', async () => {
    const [base, fresh] = await secondApp()
    const wrong = [{ tiers: ['basic'] }, { order: { field: 'created_at' } }, { types: ['agent.closed'] }]
    const texts = async () => {
      const answers = []
      for (const variables of wrong) answers.push(await ask(base, DOCUMENT, variables))
      for (const answer of answers) expect(refusal(answer)).toBe('400 INVALID_REQUEST')
      return answers.map(({ text }) => text)
    }
    const before = await texts()
    expect(before[0]).toContain(
      String.raw`Value \"basic\" does not exist in \"Tier\" enum. Did you mean the enum value \"BASIC\"`,
    )
    for (let i = 0; i < 15; i += 1) await ask(base, DOCUMENT, VARIABLES)
    expect(await compiledAnswers(fresh)).toBeGreaterThan(0)
    expect(await texts()).toEqual(before)
  })

  test.each([
    '{ agents(filter: { tier: basic }) { nodes { pda } } }',
    '{ agents(filter: { status: "active" }) { nodes { pda } } }',
    '{ agents(orderBy: { field: reputation }) { nodes { pda } } }',
    '{ agents(orderBy: { direction: desc }) { nodes { pda } } }',
    '{ registryEvents(filter: { types: ["agent.closed"] }) { nodes { id } } }',
    `{ agentHistory(pda: "${ADA}", filter: { eventType: tier_updated }) { nodes { id } } }`,
  ])('are refused as texts in %s', async (text) => {
    expect(refusal(await send(text))).toBe('400 INVALID_REQUEST')
  })

  test('of webhooks are names too, and deliveries have the type PING', async () => {
    const answer = await sendAs(ada, CREATE, inputOf(null, ['agent.closed']))
    expect(refusal(answer)).toBe('400 INVALID_REQUEST')
    expect(answer.errors?.[0]?.message).toContain(
      'Value "agent.closed" does not exist in "WebhookEventType" enum',
    )
    const update =
      'mutation ($id: String!, $input: UpdateWebhookInput!) { updateWebhook(id: $id, input: $input) { id } }'
    const changed = await sendAs(ada, update, { id: webhooks[1], input: { eventTypes: ['agent.closed'] } })
    expect(refusal(changed)).toBe('400 INVALID_REQUEST')
    const { webhookEventTypes } = await read('{ webhookEventTypes }')
    expect(webhookEventTypes).toEqual(WEBHOOK_EVENT_TYPES.map((type) => type.replace('.', '_').toUpperCase()))
    const all = await readAs(bob, CREATE, inputOf(null, webhookEventTypes))
    expect(all.createWebhook.webhook.eventTypes).toEqual(webhookEventTypes)
    const headers = bob.headers('GET', '/webhooks', clock.step())
    const listed = (await t.app.inject({ url: '/webhooks', headers })).json()
    expect(listed.subscriptions).toMatchObject([{ eventTypes: [...WEBHOOK_EVENT_TYPES] }])
    const { viewer } = await readAs(
      ada,
      '{ viewer { webhooks(first: 1) { nodes { deliveries { nodes { eventType status } } } } } }',
    )
    expect(viewer.webhooks.nodes[0].deliveries.nodes).toContainEqual({ eventType: 'PING', status: 'PENDING' })
  })
})

describe('verifyCredential', () => {
  const VERIFY = `mutation ($pda: Pubkey!, $source: CredentialSource!) {
    verifyCredential(pda: $pda, source: $source) { structurallyValid checks { check passed } }
  }`

  test('takes exactly one source', async () => {
    const { __type } = await read('{ __type(name: "CredentialSource") { isOneOf inputFields { name } } }')
    expect(__type).toEqual({
      isOneOf: true,
      inputFields: [{ name: 'credentialUrl' }, { name: 'credential' }],
    })
    const { verifyCredential } = await readAs(ada, VERIFY, { pda: ADA, source: { credential: { a: 1 } } })
    expect(verifyCredential.structurallyValid).toBe(false)
    expect(verifyCredential.checks.map((each: Json) => each.check)).toEqual([
      'CONTEXT',
      'TYPE',
      'SUBJECT',
      'TEMPORAL',
      'PROOF_PRESENT',
      'PROOF_VERIFIED',
    ])
    const literal = `mutation { verifyCredential(pda: "${ADA}", source: { credentialUrl: "https://issuer.example/1" }) { type } }`
    expect(refusal(await sendAs(ada, literal))).toBe('422 CREDENTIAL_NOT_FETCHED')
  })

  test.each<[string, object | null]>([
    ['none', {}],
    ['null', null],
    ['both', { credentialUrl: 'https://issuer.example/1', credential: {} }],
    ['one that is null', { credentialUrl: null }],
    ['one and null', { credentialUrl: 'https://issuer.example/1', credential: null }],
  ])('refuses %s', async (_, source) => {
    expect(refusal(await sendAs(ada, VERIFY, { pda: ADA, source }))).toBe('400 INVALID_REQUEST')
  })

  test.each([
    '{}',
    '{ credentialUrl: "https://issuer.example/1", credential: $c }',
    '{ credential: { a: 1 } }',
  ])('refuses the literal %s', async (source) => {
    const text = `mutation ($c: VerifiableCredential!) { verifyCredential(pda: "${ADA}", source: ${source}) { type } }`
    expect(refusal(await sendAs(ada, text, { c: {} }))).toMatch(/^400 INVALID_REQUEST/)
  })
})

test('fundLocalnetWallet and publishLocalnetCard are only in the schema of a service that runs a localnet', async () => {
  const FUND = 'mutation { fundLocalnetWallet(wallet: "x") { lamports } }'
  const INTROSPECT = '{ __schema { mutationType { fields { name } } } }'
  const names = ({ data }: Answer): string[] =>
    data.__schema.mutationType.fields.map((each: Json) => each.name)
  const [base] = await secondApp({ hasLocalnet: true })
  const [mine, theirs] = [names(await send(INTROSPECT)), names(await ask(base, INTROSPECT))]
  expect(theirs.filter((name) => !mine.includes(name))).toEqual(['publishLocalnetCard', 'fundLocalnetWallet'])
  expect(mine.filter((name) => !theirs.includes(name))).toEqual([])
  expect(refusal(await send(FUND))).toBe('400 INVALID_REQUEST')
  expect(refusal(await ask(base, FUND))).toBe('400 INVALID_PUBKEY')
  const sdl = async (from: string) => (await fetch(`${from}/graphql/schema.graphql`)).text()
  expect(await sdl(t.url)).not.toContain('fundLocalnetWallet')
  expect(await sdl(base)).toMatch(/fundLocalnetWallet\([^)]*\): WalletBalance! .*@localnetOnly/)
})

describe('lists that are read as a whole have cursors in both directions', () => {
  const PAGE =
    'totalCount edges { cursor node { key: KEY } } nodes { key: KEY } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }'
  const hashes = Array.from({ length: 5 }, (_, i) => credentialRow('Ada', `${i}`).vc_hash)
  type List = readonly [
    name: string,
    text: (args: string) => string,
    pick: (data: Json) => Json,
    keys: () => string[],
  ]
  const CREDENTIALS = PAGE.replaceAll('KEY', 'vcHash')
  const WEBHOOKS = PAGE.replaceAll('KEY', 'id')
  const LISTS: List[] = [
    [
      'credentials',
      (args) => `{ credentials(pda: "${ADA}", ${args}) { ${CREDENTIALS} } }`,
      ({ credentials }) => credentials,
      () => hashes,
    ],
    [
      'Agent.credentials',
      (args) => `{ agent(pda: "${ADA}") { credentials(${args}) { ${CREDENTIALS} } } }`,
      ({ agent }) => agent.credentials,
      () => hashes,
    ],
    ['webhooks', (args) => `{ webhooks(${args}) { ${WEBHOOKS} } }`, (data) => data.webhooks, () => webhooks],
    [
      'Viewer.webhooks',
      (args) => `{ viewer { webhooks(${args}) { ${WEBHOOKS} } } }`,
      ({ viewer }) => viewer.webhooks,
      () => webhooks,
    ],
  ]

  test.each(LISTS)('%s', async (_, text, pick, keysOf) => {
    const keys = keysOf()
    const page = async (args: string): Promise<Json> => pick(await readAs(ada, text(args)))
    const keysIn = ({ edges, nodes }: Json): string[] => {
      expect(edges.map((each: Json) => each.node)).toEqual(nodes)
      return nodes.map((each: Json) => each.key)
    }
    for (const size of [1, 2, 200]) {
      for (const isForward of [true, false]) {
        const found: string[] = []
        let cursor: string | null = null
        for (;;) {
          const args: string = isForward ? `first: ${size}, after: ` : `last: ${size}, before: `
          const part: Json = await page(args + JSON.stringify(cursor))
          expect(part.totalCount).toBe(keys.length)
          if (isForward) found.push(...keysIn(part))
          else found.unshift(...keysIn(part))
          const isMore = found.length < keys.length
          expect(part.pageInfo).toEqual({
            hasNextPage: isForward ? isMore : cursor !== null,
            hasPreviousPage: isForward ? cursor !== null : isMore,
            startCursor: part.edges[0].cursor,
            endCursor: part.edges.at(-1).cursor,
          })
          if (!isMore) break
          cursor = isForward ? part.pageInfo.endCursor : part.pageInfo.startCursor
        }
        expect(found).toEqual(keys)
      }
    }
    const { edges } = await page('first: 200')
    const between = `after: "${edges[0].cursor}", before: "${edges.at(-1).cursor}"`
    expect(keysIn(await page(`first: 200, ${between}`))).toEqual(keys.slice(1, -1))
    expect(keysIn(await page(`last: 1, ${between}`))).toEqual(keys.slice(-2, -1))
    expect((await page(`first: 1, after: "${edges.at(-1).cursor}"`)).pageInfo).toEqual({
      hasNextPage: false,
      hasPreviousPage: true,
      startCursor: null,
      endCursor: null,
    })
  })

  test.each(LISTS)(
    '%s refuses a cursor of another list, of a removed entry, and both sizes',
    async (_, text, pick) => {
      const of = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
      const list = /credentials/.test(text('')) ? 'credentials' : 'webhooks'
      const other = list === 'credentials' ? 'webhooks' : 'credentials'
      const [edge] = pick(await readAs(ada, text('first: 1'))).edges
      expect(edge.cursor).toBe(of([list, edge.node.key]))
      for (const cursor of [
        '',
        'x',
        of([other, edge.node.key]),
        of([list]),
        of([list, 1]),
        of([list, 'removed']),
      ])
        for (const args of [
          `first: 1, after: ${JSON.stringify(cursor)}`,
          `last: 1, before: ${JSON.stringify(cursor)}`,
        ]) {
          const answer = await sendAs(ada, text(args))
          expect([args, refusal(answer)]).toEqual([args, '400 INVALID_CURSOR'])
        }
      expect(refusal(await sendAs(ada, text('first: 1, last: 1')))).toBe('400 INVALID_REQUEST')
      for (const args of ['first: 0', 'last: 201'])
        expect(refusal(await sendAs(ada, text(args)))).toBe('400 INVALID_INTEGER')
    },
  )
})

test('the fields of an event have integers above 2^53 with all digits, and the names of its texts', async () => {
  const text = `query ($pda: Pubkey!) { registryEvents(first: 200, filter: { agentPda: $pda }) { nodes { ...Typed } } } ${TYPED}`
  const expected = EVENTS_OF_ADA.map(({ body }) => typedEvent(body))
  expect(expected.at(-1)).toMatchObject({
    amount: '18446744073709551615',
    pendingWithdrawal: '9007199254740993',
  })
  for (let i = 0; i < 15; i += 1)
    expect((await read(text, { pda: ADA })).registryEvents.nodes).toEqual(expected.toReversed())
})

/** With a ledger, an indexer and the service. */
describe('events of a ledger', () => {
  let world: RegistryWorld
  let database: TestDatabase
  let indexer: Indexer
  let live: TestApp
  let base: string
  let gone: AgentWallet
  let alive: AgentWallet
  beforeAll(async () => {
    ;[world, database] = await Promise.all([createRegistryWorld(), createTestDatabase()])
    indexer = worldIndexer(world, database.orm)
    live = await createTestApp({
      ledger: world.rpc,
      database,
      clock: systemClock,
      program: programId,
      transactions: { registryProgram: programId },
      tablesFilled: false,
    })
    base = await live.app.listen({ port: 0, host: '127.0.0.1' })
    gone = await causeEveryEvent(world)
    alive = await world.wallet('Bob')
    const changes = {
      name: 'Robert',
      serviceCategory: 'dataAnalysis',
      capabilities: 63n,
      version: '1',
      agentCardUrl: 'https://agents.example.org/bob.json',
      agentCardHash: new Uint8Array(32).fill(7),
    }
    await alive.send('update_agent', {}, changes)
    await indexer.whenIdle()
  })
  afterAll(async () => {
    await live.close()
    await indexer.stop()
    await database.drop()
    await world.close()
  })
  const readLive = async (query: string, variables?: object): Promise<Json> => {
    const { data, errors } = await ask(base, query, variables)
    expect(errors).toBeUndefined()
    return data
  }

  const LIST = `{ registryEvents(first: 200) { nodes { ...Typed } } } ${TYPED}`
  const bodies = async (): Promise<string[]> => {
    const rows = await live.kysely.selectFrom('outbox_events').select('body').orderBy('sequence').execute()
    return rows.map(({ body }) => body)
  }

  test('each type has fields with the values of the body of its webhook, in the list, as a node and live', async () => {
    const expected = (await bodies()).map(typedEvent)
    expect(new Set(expected.map(({ type }) => type)).size).toBe(14)
    expect(expected.at(-1).changes).toEqual({
      name: { old: 'Bob', new: 'Robert' },
      serviceCategory: { old: 'RESEARCH', new: 'DATA_ANALYSIS' },
      capabilities: { old: '0', new: '63' },
      version: { old: '', new: '1' },
      agentCardUrl: {
        old: 'https://agents.example.org/card.json',
        new: 'https://agents.example.org/bob.json',
      },
      agentCardHash: { old: '09'.repeat(32), new: '07'.repeat(32) },
    })
    const listed = await readLive(LIST)
    expect(listed.registryEvents.nodes).toEqual(expected.toReversed())
    const ids = expected.map(({ id }) => id)
    const { nodes } = await readLive(`query ($ids: [ID!]!) { nodes(ids: $ids) { ...Typed } } ${TYPED}`, {
      ids,
    })
    expect(nodes).toEqual(expected)
    const stream = await openSse(
      base,
      `subscription ($after: String) { registryEvents(after: $after) { ...Typed } } ${TYPED}`,
      { after: ids[0] },
    )
    for (const event of expected.slice(1))
      expect(await stream.next()).toEqual({ data: { registryEvents: event } })
    stream.cut()
    const ofAgent = `query ($pda: Pubkey!) { agent(pda: $pda) { events(first: 200) { nodes { ...Typed } } } } ${TYPED}`
    const { agent } = await readLive(ofAgent, { pda: alive.agent })
    expect(agent.events.nodes).toEqual(
      expected.filter(({ agentPda }) => agentPda === alive.agent).toReversed(),
    )
  })

  test('the list is the same when its document is compiled', async () => {
    const [first] = [await ask(base, LIST)]
    const before = await compiledAnswers(live)
    for (let i = 0; i < 15; i += 1) expect((await ask(base, LIST)).text).toBe(first.text)
    expect(await compiledAnswers(live)).toBeGreaterThan(before)
  })

  test('an event has its agent as it is now, and its transaction as the ledger has it', async () => {
    const text = `query ($pda: Pubkey!) { registryEvents(filter: { agentPda: $pda, types: [AGENT_UPDATED] }) { nodes {
      signature slot agent { name serviceCategory } transaction { signature slot succeeded feePayer instructions { programId } }
    } } }`
    const { registryEvents } = await readLive(text, { pda: alive.agent })
    const [event] = registryEvents.nodes
    expect(registryEvents.nodes).toHaveLength(1)
    expect(event.agent).toEqual({ name: 'Robert', serviceCategory: 'DATA_ANALYSIS' })
    expect(event.transaction).toMatchObject({ signature: event.signature, slot: event.slot, succeeded: true })
    expect(event.transaction.instructions.map((each: Json) => each.programId)).toContain(programId)
    expect((await readLive(text, { pda: gone.agent })).registryEvents.nodes[0]).toMatchObject({
      agent: null,
      transaction: { succeeded: true },
    })
  })

  test('the transaction is null if it is not known any more, and an error while the node does not respond', async () => {
    const text = `query ($id: ID!) { node(id: $id) { ... on RegistryEvent { signature transaction { fee } } } }`
    const { registryEvents } = await readLive('{ registryEvents(first: 3) { nodes { id } } }')
    const [newest, second, third] = registryEvents.nodes.map((each: Json) => each.id as string)
    await sql`delete from ledger_events where id = (select event_id from outbox_events where id = ${newest})`.execute(
      live.kysely,
    )
    expect((await readLive(text, { id: newest })).node).toEqual({ signature: null, transaction: null })
    const forgotten = encodeBase58(new Uint8Array(64).fill(7))
    await sql`update ledger_events set signature = ${forgotten} where id in (
      select event_id from outbox_events where id = ${third})`.execute(live.kysely)
    expect((await readLive(text, { id: third })).node).toEqual({ signature: forgotten, transaction: null })
    world.localnet.fault.http({ methods: ['getTransaction'], status: 503 })
    const answer = await ask(base, text, { id: second })
    world.localnet.fault.clear()
    expect(answer.data.node).toMatchObject({ signature: expect.any(String), transaction: null })
    expect(refusal(answer)).toBe('503 LEDGER_UNAVAILABLE')
  })

  test('a prepared transaction has its status, which is a node too', async () => {
    const text = `mutation ($input: OwnerInput!) { prepareSuspendAgent(input: $input) { id transaction { id status final sponsored } } }`
    const { prepareSuspendAgent } = await readLive(text, {
      input: { ownerPubkey: alive.owner, priorityLevel: 'HIGH' },
    })
    const { id, transaction } = prepareSuspendAgent
    expect(transaction).toEqual({ id, status: 'SIMULATED', final: false, sponsored: false })
    const { node } = await readLive(
      'query ($id: ID!) { node(id: $id) { ... on Transaction { id status final sponsored } } }',
      { id },
    )
    expect(node).toEqual(transaction)
    const wrong = await ask(base, text, { input: { ownerPubkey: alive.owner, priorityLevel: 'high' } })
    expect(refusal(wrong)).toBe('400 INVALID_REQUEST')
  })
})
