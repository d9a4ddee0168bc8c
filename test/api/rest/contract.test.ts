import { beforeAll, describe, expect, test } from 'vitest'
import { useTestApp } from '../../support/app.ts'
import { insertAgents, insertHistory, insertStakes, keyOf } from '../../support/factories.ts'
import { type Json, type OpenApi, resolvedSchema, responseSchema } from '../../support/openapi.ts'

/** The endpoints of the contract ("Endpoints"). */
const ENDPOINTS = `
  POST /relay/prepare
  POST /relay/prepare/sponsored
  POST /relay/submit
  GET /relay/status/{id}
  POST /relay/estimate-fees
  GET /sponsor/eligibility
  POST /sponsor/register
  POST /sponsor/register/submit
  GET /health
  GET /health/detailed
  GET /info
  GET /agents
  GET /agents/{pda}
  GET /agents/{pda}/history
  GET /stakes
  GET /stakes/{pda}
  GET /did/{did}
  GET /did/{did}/document
  GET /agents/{pda}/credentials
  POST /agents/{pda}/credentials/verify
  GET /webhooks/event-types
  POST /webhooks
  GET /webhooks
  PATCH /webhooks/{id}
  DELETE /webhooks/{id}
  POST /webhooks/{id}/rotate-secret
  GET /webhooks/{id}/deliveries
`

/** The fields of the contract ("Resources and their fields"). */
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
const HISTORY = ['event_type', 'agent_pda', 'old_value', 'new_value', 'delta', 'timestamp']
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

/**
 * Path, a request to it, the contract's fields of the response, and those of an item of its list.
 */
const RESPONSES: [path: string, url: string, fields: string[], item?: [list: string, fields: string[]]][] = [
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
    ['history', HISTORY],
  ],
  ['/stakes', '/stakes', ['total', 'limit', 'offset', 'stakes'], ['stakes', STAKE]],
  ['/stakes/{pda}', `/stakes/${keyOf('stake Any')}`, STAKE],
  ['/agents/{pda}/credentials', `/agents/${keyOf('agent Any')}/credentials`, ['pda', 'total', 'credentials']],
  ['/did/{did}', `/did/did:sol:${keyOf('owner Any')}`, ['did', 'agent', 'didDocument']],
  ['/did/{did}/document', `/did/did:sol:${keyOf('owner Any')}/document`, DID_DOCUMENT],
  ['/health', '/health', ['status', 'timestamp']],
  ['/health/detailed', '/health/detailed', ['status', 'rpc', 'feePayer', 'timestamp']],
  ['/info', '/info', INFO],
]

const t = useTestApp()
let document: OpenApi
beforeAll(async () => {
  await insertAgents(t.kysely, ['Any'])
  await insertStakes(t.kysely, ['Any'])
  await insertHistory(t.kysely, 'Any', [{}])
  document = (await t.app.inject('/openapi.json')).json()
})

const propertiesOf = (schema: Json | undefined): Record<string, Json> =>
  (schema?.['properties'] ?? {}) as Record<string, Json>

test('the document is OpenAPI 3.1 and contains every endpoint of the contract', () => {
  expect(document.openapi).toBe('3.1.0')
  const documented = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect(documented).toEqual(expect.arrayContaining(ENDPOINTS.trim().split(/\n\s*/)))
  expect(document.components.schemas).toHaveProperty('Error')
  expect(JSON.stringify(document)).not.toContain('"nullable"')
})

describe.each(RESPONSES)('%s', (path, url, fields, item) => {
  test('the response has the fields of the contract, in exactly the published form', async () => {
    const response = await t.app.inject(url)
    expect(response.statusCode).toBe(200)
    const body = response.json<Record<string, object[]>>()
    const published = propertiesOf(responseSchema(document, path, 200))
    expect(Object.keys(published)).toEqual(expect.arrayContaining(fields))
    expect(Object.keys(body).sort()).toEqual(Object.keys(published).sort())
    const [list = '', itemFields = []] = item ?? []
    expect(Object.keys(body[list]?.[0] ?? {})).toEqual(expect.arrayContaining(itemFields))
  })

  test('the document describes every response with a schema', () => {
    const operation = document.paths[path]?.['get']
    expect(operation?.operationId).toBeTruthy()
    for (const [status, response] of Object.entries(operation?.responses ?? {})) {
      expect(response.description).toBeTruthy()
      if (status === '200' || status === '304') continue
      const { schema, example } = response.content!['application/json']!
      expect(schema).toEqual({ $ref: '#/components/schemas/Error' })
      expect(example).toMatchObject({ error: expect.any(String), details: { code: expect.any(String) } })
    }
    const statuses = Object.keys(operation?.responses ?? {})
    expect(statuses).toEqual(
      expect.arrayContaining(/\{(pda|did)\}/.test(path) ? ['400', '404', '500'] : ['400', '500']),
    )
  })
})

test('every parameter has a schema, and /agents has the parameters of the contract', () => {
  const parameters = document.paths['/agents']?.['get']?.parameters ?? []
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
  for (const { schema } of parameters) expect(schema['type']).toBeTruthy()
})

test('every leaf of a body has an example or a list of values', () => {
  const bare: string[] = []
  const walk = (given: Json, at: string): void => {
    const schema = resolvedSchema(document, given)
    const properties = Object.entries(propertiesOf(schema))
    for (const [name, each] of properties) walk(each, `${at}.${name}`)
    if (schema['items'] !== undefined) walk(schema['items'] as Json, `${at}[]`)
    const variants = (schema['oneOf'] ?? []) as Json[]
    for (const each of variants) walk(each, at)
    const isLeaf =
      properties.length === 0 &&
      variants.length === 0 &&
      schema['items'] === undefined &&
      !['boolean', 'null'].includes(schema['type'] as string)
    if (isLeaf && schema['examples'] === undefined && schema['enum'] === undefined) bare.push(at)
  }
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const { requestBody, responses } of Object.values(operations)) {
      for (const { schema } of Object.values(requestBody?.content ?? {})) walk(schema, `${path} request`)
      for (const [status, { content = {} }] of Object.entries(responses))
        if (status.startsWith('2')) for (const { schema } of Object.values(content)) walk(schema, path)
    }
  }
  expect(bare).toEqual([])
})

test('/docs shows the document and loads nothing from other servers', async () => {
  const page = await t.app.inject('/docs/')
  expect(page.statusCode).toBe(200)
  expect(page.body).not.toMatch(/(src|href)="(https?:)?\/\//)
  expect(page.body).toContain('<title>Agent Registry Gateway</title>')
})
