import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../support/app.ts'
import {
  agentRow,
  insertAgents,
  insertHistory,
  insertStakes,
  keyOf,
  stakeRow,
} from '../../support/factories.ts'

const AGENT = [
  'pda',
  'owner',
  'name',
  'tier',
  'status',
  'service_category',
  'reputation_score',
  'capabilities',
  'version',
  'agent_card_url',
  'card_hash_mismatch',
  'created_at',
  'updated_at',
]
const HISTORY = ['event_type', 'agent_pda', 'old_value', 'new_value', 'timestamp']
const STAKE = ['pda', 'agent_pda', 'owner', 'deposited_amount', 'locked_amount', 'pending_withdrawal']
const DID_DOCUMENT = [
  '@context',
  'id',
  'controller',
  'verificationMethod',
  'authentication',
  'assertionMethod',
  'service',
]
const INFO = ['name', 'version', 'program', 'feeSponsorshipEnabled', 'network', 'features']

/** Path in OpenAPI, a request to it, the fields of its answer, and those of an item of its list. */
const PATHS: [path: string, url: string, fields: string[], item?: [list: string, fields: string[]]][] = [
  ['/agents', '/agents', ['total', 'limit', 'offset', 'agents'], ['agents', AGENT]],
  [
    '/agents',
    '/agents?name=Any',
    ['total', 'limit', 'offset', 'agents'],
    ['agents', [...AGENT, 'name_similarity']],
  ],
  ['/agents/{pda}', `/agents/${keyOf('agent Any')}`, AGENT],
  [
    '/agents/{pda}/history',
    `/agents/${keyOf('agent Any')}/history`,
    ['total', 'limit', 'offset', 'history'],
    ['history', [...HISTORY, 'delta']],
  ],
  ['/stakes', '/stakes', ['total', 'limit', 'offset', 'stakes'], ['stakes', STAKE]],
  ['/stakes/{pda}', `/stakes/${keyOf('stake Any')}`, STAKE],
  ['/agents/{pda}/credentials', `/agents/${keyOf('agent Any')}/credentials`, ['pda', 'total', 'credentials']],
  ['/did/{did}', `/did/did:sol:${keyOf('owner Any')}`, ['did', 'agent', 'didDocument']],
  ['/did/{did}/document', `/did/did:sol:${keyOf('owner Any')}/document`, DID_DOCUMENT],
  ['/health', '/health', ['status', 'timestamp']],
  // database and indexer are ours; the rest is the contract's.
  ['/health/detailed', '/health/detailed', ['status', 'rpc', 'feePayer', 'timestamp', 'database', 'indexer']],
  ['/info', '/info', INFO],
]

/** Their answers are held against the document in test/webhooks. */
const WEBHOOKS = [
  '/webhooks',
  '/webhooks/event-types',
  '/webhooks/{id}',
  '/webhooks/{id}/rotate-secret',
  '/webhooks/{id}/deliveries',
  '/webhooks/{id}/deliveries/{deliveryId}/resend',
  '/webhooks/{id}/ping',
  '/webhooks/{id}/recover',
]

interface Schema {
  type?: string | string[]
  nullable?: boolean
  properties?: Record<string, Schema>
  items?: Schema
  examples?: unknown[]
  enum?: unknown[]
}
interface Operation {
  operationId: string
  parameters?: { name: string; in: string; description?: string; schema: Schema }[]
  responses: Record<
    string,
    { description: string; content: { 'application/json': { schema: Schema; example?: unknown } } }
  >
}
interface Document {
  openapi: string
  components: { schemas: Record<string, Schema> }
  paths: Record<string, Record<string, Operation>>
}

let t: TestApp
let document: Document
beforeAll(async () => {
  t = await createTestApp()
  await insertAgents(t.kysely, [agentRow('Any')])
  await insertStakes(t.kysely, [stakeRow('Any')])
  await insertHistory(t.kysely, 'Any', [{}])
  document = (await t.app.inject('/openapi.json')).json()
})
afterAll(() => t.close())

describe.each(PATHS)('%s', (path, url, fields, item) => {
  test('answers exactly the contract’s fields', async () => {
    const response = await t.app.inject(url)
    expect(response.statusCode).toBe(200)
    const body = response.json<Record<string, object[]>>()
    expect(Object.keys(body).sort()).toEqual([...fields].sort())
    if (item === undefined) return
    const [list, itemFields] = item
    expect(Object.keys(body[list]![0]!).sort()).toEqual([...itemFields].sort())
  })

  test('is in the OpenAPI document, with every response and its schema', () => {
    const operation = document.paths[path]?.get
    expect(operation?.operationId).toBeTruthy()
    const ok = Object.values(operation?.responses['200']?.content ?? {})[0]?.schema
    expect(Object.keys(ok?.properties ?? {}).sort()).toEqual([...fields].sort())
    for (const [status, response] of Object.entries(operation?.responses ?? {})) {
      expect(response.description).toBeTruthy()
      if (status === '200' || status === '304') continue
      expect(response.content['application/json'].schema).toEqual({ $ref: '#/components/schemas/Error' })
      expect(response.content['application/json'].example).toHaveProperty('error')
    }
    const statuses = Object.keys(operation?.responses ?? {})
    expect(statuses).toEqual(
      expect.arrayContaining(/\{(pda|did)\}/.test(path) ? ['400', '404', '500'] : ['400', '500']),
    )
  })
})

test('the document is OpenAPI 3.1, of the documented paths and no others', () => {
  expect(document.openapi).toBe('3.1.0')
  const relay = [
    '/relay/prepare',
    '/relay/prepare/sponsored',
    '/relay/submit',
    '/relay/status/{id}',
    '/relay/estimate-fees',
    '/sponsor/eligibility',
    '/sponsor/register',
    '/sponsor/register/submit',
  ]
  expect(Object.keys(document.paths).sort()).toEqual(
    [
      ...new Set([
        ...PATHS.map(([path]) => path),
        '/ready',
        '/agents/{pda}/credentials/verify',
        '/contexts/agent-credentials/v1',
        ...relay,
        ...WEBHOOKS,
      ]),
    ].sort(),
  )
  expect(document.components.schemas).toHaveProperty('Error')
  expect(JSON.stringify(document)).not.toContain('"nullable"')
})

test('every parameter has a schema; those of /agents are the contract’s', () => {
  const parameters = document.paths['/agents']?.get?.parameters ?? []
  expect(parameters.filter((each) => each.in === 'query').map(({ name }) => name)).toEqual([
    'owner',
    'tier',
    'status',
    'category',
    'name',
    'min_reputation',
    'max_reputation',
    'include_mismatched',
    'sort',
    'order',
    'limit',
    'offset',
  ])
  for (const { schema } of parameters) expect(schema.type).toBeTruthy()
})

test('every leaf of an answer has an example or a list of values', () => {
  const bare: string[] = []
  const walk = (schema: Schema, at: string): void => {
    if (schema.properties !== undefined) {
      for (const [name, each] of Object.entries(schema.properties)) walk(each, `${at}.${name}`)
    } else if (schema.items !== undefined) walk(schema.items, `${at}[]`)
    else if (schema.type !== 'boolean' && schema.examples === undefined && schema.enum === undefined)
      bare.push(at)
  }
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const { responses } of Object.values(operations))
      for (const [status, { content }] of Object.entries(responses))
        if (status.startsWith('2')) for (const { schema } of Object.values(content)) walk(schema, path)
  }
  expect(bare).toEqual([])
})

test('/docs shows the document without another server', async () => {
  const page = await t.app.inject('/docs/')
  expect(page.statusCode).toBe(200)
  expect(page.body).not.toMatch(/(src|href)="(https?:)?\/\//)
  expect(page.body).toContain('<title>Agent Registry Gateway</title>')
  expect((await t.app.inject('/docs/static/swagger-ui-bundle.js')).statusCode).toBe(200)
})
