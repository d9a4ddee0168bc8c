import { beforeAll, expect, test } from 'vitest'
import { WEBHOOK_EVENT_TYPES } from '../../../src/domain/webhook-events.ts'
import { createTestApp, useTestApp } from '../../support/app.ts'
import { agentRow, insertAgents, insertStakes, keyOf } from '../../support/factories.ts'
import { type Json, type OpenApi, type Operation, problems, resolveReference } from '../../support/openapi.ts'

const t = useTestApp()
let document: OpenApi
let operations: { path: string; operation: Operation }[]
beforeAll(async () => {
  await insertAgents(t.kysely, ['Live'])
  await insertStakes(t.kysely, ['Live'])
  document = (await t.app.inject('/openapi.json')).json()
  operations = Object.entries({ ...document.paths, ...document.webhooks }).flatMap(([path, item]) =>
    Object.values(item).map((operation) => ({ path, operation })),
  )
})

function everything(of: (schema: Json) => void): void {
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    of(value as Json)
    Object.values(value).forEach(walk)
  }
  walk(document)
}

test('every reference resolves', () => {
  const references: string[] = []
  everything(({ $ref }) => {
    if (typeof $ref === 'string') references.push($ref)
  })
  expect(references.length).toBeGreaterThan(0)
  for (const reference of references) expect(resolveReference(document, reference)).toBeDefined()
})

test('the document contains no JSON Schema identifiers or keywords of older drafts', () => {
  const left: unknown[] = []
  everything((schema) => {
    for (const word of ['$id', 'nullable', 'definitions', '~kind', '~optional']) {
      if (word in schema) left.push([word, schema])
    }
  })
  expect(left).toEqual([])
})

test('operations have a unique id, a declared tag, a summary and responses', () => {
  const ids = operations.map(({ operation }) => operation.operationId)
  expect(new Set(ids).size).toBe(ids.length)
  const tags = document.tags.map(({ name }) => name)
  for (const { operation } of operations) {
    expect(operation.summary).toBeTruthy()
    expect(operation.description).toBeTruthy()
    expect(tags).toEqual(expect.arrayContaining(operation.tags))
    expect(Object.keys(operation.responses).filter((status) => status.startsWith('2'))).toHaveLength(1)
    for (const [status, response] of Object.entries(operation.responses)) {
      expect(status).toMatch(/^([2-5]\d\d|2XX)$/)
      expect(response.description).toBeTruthy()
    }
  }
})

test('path parameters match the template and are required, and no parameter is repeated', () => {
  for (const { path, operation } of operations) {
    const { parameters = [] } = operation
    const inPath = parameters.filter((each) => each.in === 'path')
    expect(inPath.map(({ name }) => name)).toEqual(
      Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name),
    )
    expect(inPath.every(({ required }) => required)).toBe(true)
    expect(new Set(parameters.map((each) => `${each.in} ${each.name}`)).size).toBe(parameters.length)
  }
})

test('every example and default is valid for its schema', () => {
  let checked = 0
  everything((schema) => {
    if (!('type' in schema) && !('enum' in schema)) return
    const { examples = [], default: usual, ...bare } = schema
    const values = [...(Array.isArray(examples) ? examples : []), ...(usual === undefined ? [] : [usual])]
    for (const value of values) {
      checked += 1
      expect({ schema, problems: problems(document, bare, value) }).toEqual({ schema, problems: [] })
    }
  })
  for (const { operation } of operations) {
    for (const { content = {} } of [operation.requestBody ?? {}, ...Object.values(operation.responses)]) {
      for (const { schema, example } of Object.values(content)) {
        checked += 1
        expect(example).toBeDefined()
        expect(problems(document, schema, example)).toEqual([])
      }
    }
  }
  expect(checked).toBeGreaterThan(50)
})

test('reads of the tables document the entity tag, If-None-Match and 304', () => {
  const tagged = operations.filter(({ operation }) => operation.responses['304'] !== undefined)
  expect(tagged.map(({ path }) => path).sort()).toEqual([
    '/agents',
    '/agents/lookup',
    '/agents/verify',
    '/agents/{pda}',
    '/agents/{pda}/credentials',
    '/agents/{pda}/history',
    '/did/{did}',
    '/did/{did}/document',
    '/idl.json',
    '/stakes',
    '/stakes/{pda}',
  ])
  for (const { operation } of tagged) {
    for (const status of ['200', '304']) expect(operation.responses[status]?.headers?.['etag']).toBeDefined()
    const isRegistry = operation.operationId !== 'getProgramIdl'
    for (const name of ['x-registry-slot', 'x-registry-age'])
      expect(operation.responses['200']?.headers?.[name] !== undefined).toBe(isRegistry)
    expect(operation.responses['304']?.content).toBeUndefined()
    const names = operation.parameters?.filter((each) => each.in === 'header').map(({ name }) => name)
    expect(names).toEqual(['if-none-match'])
  }
})

test('schemas have names, and each is in the document once', () => {
  const { schemas } = document.components
  expect(Object.keys(schemas)).toEqual(
    expect.arrayContaining([
      'Agent',
      'Stake',
      'HistoryEntry',
      'PreparedTransaction',
      'Transaction',
      'Webhook',
    ]),
  )
  const inline = operations.flatMap(({ path, operation }) =>
    Object.entries(operation.responses).flatMap(([status, { content = {} }]) =>
      Object.values(content)
        .filter(({ schema }) => !('$ref' in schema || 'oneOf' in schema))
        .map(() => `${path} ${status}`),
    ),
  )
  expect(inline).toEqual([])
})

test('members and parameters that the contract requires are required', () => {
  const body = (path: string, method = 'post') =>
    Object.values(document.paths[path]?.[method]?.requestBody?.content ?? {})[0]!.schema
  const required = (path: string, method?: string) => body(path, method)['required']
  expect(required('/relay/prepare')).toEqual(['instructions', 'signerPubkeys'])
  expect(required('/relay/prepare/sponsored')).toEqual(['instructions', 'signerPubkeys'])
  expect(required('/relay/submit')).toEqual(['id', 'signedTx'])
  expect(required('/relay/estimate-fees')).toEqual(['accountKeys'])
  expect(required('/sponsor/register')).toEqual(['instructions', 'signerPubkey', 'inviteCode'])
  expect(required('/sponsor/register/submit')).toEqual(['id', 'signedTx', 'signerPubkey', 'inviteCode'])
  expect(required('/webhooks')).toEqual(['url', 'eventTypes'])
  expect(required('/webhooks/{id}', 'patch')).toBeUndefined()
  const verify = body('/agents/{pda}/credentials/verify')
  const credential = { '@context': [] }
  const [url, both] = [
    { credentialUrl: 'https://a.example' },
    { credentialUrl: 'https://a.example', credential },
  ]
  expect([url, { credential }].map((each) => problems(document, verify, each))).toEqual([[], []])
  for (const wrong of [{}, both]) expect(problems(document, verify, wrong)).not.toEqual([])
  const query = document.paths['/sponsor/eligibility']?.['get']?.parameters
  expect(query?.map(({ name, required: isRequired }) => [name, isRequired])).toEqual([
    ['wallet', true],
    ['code', true],
  ])
})

test('operations that need a wallet ask for its headers or a session', () => {
  const wallet = ['X-Wallet-Pubkey', 'X-Wallet-Signature', 'X-Wallet-Timestamp']
  const asking = operations.filter(({ operation }) => (operation.security ?? []).length > 0)
  expect(asking).toHaveLength(12)
  const ofSession = asking.filter(({ operation }) => operation.operationId === 'getSession')
  expect(ofSession).toMatchObject([{ operation: { security: [{ session: [] }], responses: { 401: {} } } }])
  expect(ofSession[0]?.operation).not.toHaveProperty('parameters')
  for (const { operation } of asking.filter((each) => !ofSession.includes(each))) {
    expect(operation.responses['401']).toBeDefined()
    const [first = {}, second] = operation.security!
    expect(second).toEqual({ session: [] })
    const { securitySchemes } = document.components
    expect(Object.keys(first).map((scheme) => securitySchemes[scheme]?.name)).toEqual(wallet)
    const headers = operation.parameters?.filter((each) => each.in === 'header').map(({ name }) => name)
    expect(headers).toEqual(wallet.map((name) => name.toLowerCase()))
  }
  const refusing = operations.filter(({ operation }) => operation.responses['401'] !== undefined)
  const open = refusing.filter((each) => !asking.includes(each))
  expect(open.map(({ operation }) => operation.operationId)).toEqual(['createSession'])
})

test('every event type has a typed payload with an example, and so has ping', () => {
  expect(Object.keys(document.webhooks)).toEqual([...WEBHOOK_EVENT_TYPES, 'ping'])
  for (const [type, { post }] of Object.entries(document.webhooks)) {
    const { schema, example } = post.requestBody!.content['application/json']!
    expect(example).toMatchObject({ type, data: expect.any(Object) })
    expect(problems(document, schema, example)).toEqual([])
    expect(problems(document, schema, { ...(example as Json), type: 'agent.other' })).not.toEqual([])
  }
})

test('required parameters have values of the registry, and optional ones have none that a page fills in', async () => {
  const example = (path: string, name: string) =>
    document.paths[path]?.['get']?.parameters?.find((each) => each.name === name)?.example
  expect(example('/agents/{pda}', 'pda')).toBe(keyOf('agent Live'))
  expect(example('/agents/{pda}/history', 'pda')).toBe(keyOf('agent Live'))
  expect(example('/stakes/{pda}', 'pda')).toBe(keyOf('stake Live'))
  expect(example('/did/{did}', 'did')).toBe(`did:sol:${keyOf('owner Live')}`)
  expect(example('/sponsor/eligibility', 'wallet')).toBe(keyOf('owner Live'))
  const page = (await t.app.inject('/docs/json')).json<OpenApi>()
  const filled = Object.values(page.paths)
    .flatMap((item) => Object.values(item))
    .flatMap(({ parameters = [] }) => parameters)
    .filter(({ required }) => required !== true)
    .filter((each) => 'example' in each || 'examples' in each || 'default' in each.schema)
  expect(filled).toEqual([])
  expect(page.servers).toEqual([{ url: '/' }])
  expect(page.paths['/agents/{pda}']?.['get']?.parameters?.[0]?.example).toBe(keyOf('agent Live'))

  await insertAgents(t.kysely, [agentRow('Newer', { created_at: '2099-01-01T00:00:00.000Z' })])
  const later = (await t.app.inject('/openapi.json')).json<OpenApi>()
  expect(later.paths['/agents/{pda}']?.['get']?.parameters?.[0]?.example).toBe(keyOf('agent Newer'))
})

test('the document is served with other examples while the registry cannot be read', async () => {
  const starting = await createTestApp({ tablesFilled: false })
  const { statusCode, body } = await starting.app.inject('/openapi.json')
  expect([statusCode, body.length > 10_000]).toEqual([200, true])
  await starting.close()
})

test('the pages of /docs fit the screen of a phone', async () => {
  for (const url of ['/docs', '/docs/'])
    expect((await t.app.inject(url)).body).toContain('<meta name="viewport" content="width=device-width')
})

test('each group links to its guide, and every link of a guide leads somewhere', async () => {
  const { tags } = (await t.app.inject('/docs/json')).json<{ tags: { description: string }[] }>()
  const pages = new Map<string, string>()
  const read = async (path: string): Promise<string> => {
    const { statusCode, headers, body } = await t.app.inject(path)
    expect([path, statusCode, headers['content-type']]).toEqual([path, 200, 'text/html; charset=utf-8'])
    expect(headers['content-security-policy']).not.toContain('script')
    pages.set(path, body)
    return body
  }
  const waiting = tags.map(
    ({ description }) =>
      new URL(/\[Guide\]\((guides.*)\)$/.exec(description)![1]!, 'http://host/docs/').pathname,
  )
  expect(waiting).toHaveLength(10)
  for (const path of waiting) {
    if (pages.has(path)) continue
    for (const [, href = ''] of (await read(path)).matchAll(/<a href="([^"]*)"/g)) {
      if (/^https?:/.test(href)) continue
      const { pathname, hash } = new URL(href, `http://host${path}`)
      if (pathname === '/docs/') continue
      const page = pages.get(pathname) ?? (await read(pathname))
      expect(page).toContain(hash === '' ? '<main>' : `id="${hash.slice(1)}"`)
      waiting.push(pathname)
    }
  }
  expect(pages.size).toBeGreaterThan(9)
  for (const path of ['nothing.md', '..%2fREADME.md', '%2e%2e/README.md'])
    expect((await t.app.inject(`/docs/guides/${path}`)).statusCode).toBe(404)
})
