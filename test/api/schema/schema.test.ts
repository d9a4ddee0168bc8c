import { readFileSync } from 'node:fs'
import { hash } from 'node:crypto'
import {
  assertObjectType,
  buildClientSchema,
  getIntrospectionQuery,
  type GraphQLSchema,
  type IntrospectionQuery,
  lexicographicSortSchema,
  parse,
  printSchema,
  validate,
} from 'graphql'
import { expect, test } from 'vitest'
import { EXAMPLES } from '../../../rest/graphql/examples.ts'
import { schema } from '../../../schema/index.ts'
import { printedSchema } from '../../../schema/print.ts'
import { schemaWithoutLocalnet } from '../../../schema/variants.ts'
import { useTestApp } from '../../support/app.ts'
import { query } from '../../support/graphql.ts'

const t = useTestApp()

test('the committed SDL is up to date (npm run codegen)', () => {
  expect(readFileSync(new URL('../../../schema/schema.graphql', import.meta.url), 'utf8')).toBe(
    printedSchema(),
  )
})

test('GET /graphql/schema.graphql returns the SDL', async () => {
  const response = await t.app.inject('/graphql/schema.graphql')
  expect(response.headers['content-type']).toBe('text/plain; charset=utf-8')
  expect(response.body).toBe(printedSchema(schemaWithoutLocalnet()))
})

test('the longest introspection query returns the whole schema', async () => {
  const introspection = await query<IntrospectionQuery>(
    t,
    getIntrospectionQuery({
      inputValueDeprecation: true,
      specifiedByUrl: true,
      schemaDescription: true,
      oneOf: true,
      directiveIsRepeatable: true,
    }),
  )
  const printed = (each: GraphQLSchema): string => printSchema(lexicographicSortSchema(each))
  expect(printed(buildClientSchema(introspection))).toBe(printed(schemaWithoutLocalnet()))
})

test('a browser gets GraphiQL, which loads nothing from other servers', async () => {
  const response = await t.app.inject({ url: '/graphql', headers: { accept: 'text/html' } })
  expect(response.statusCode).toBe(200)
  expect(response.headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
  })
  // The browser enforces the policy.
  const policy = String(response.headers['content-security-policy'])
  expect(policy).toContain("default-src 'none'; connect-src 'self'; script-src 'self'")
  expect(policy).not.toMatch(/script-src[^;]*'unsafe-inline'/)
  expect(response.body).toContain('<title>Agent Registry Gateway</title>')
  expect(response.body).not.toMatch(/<(script|link|img)[^>]*(src|href)="?(https?:)?\/\//)
  expect(response.body.length).toBeLessThan(1_000)
  const again = await t.app.inject({
    url: '/graphql',
    headers: { accept: 'text/html', 'if-none-match': String(response.headers['etag']) },
  })
  expect([again.statusCode, again.body]).toEqual([304, ''])
})

test('the operations that GraphiQL shows first fit the schema, and the first one is answered', async () => {
  expect(EXAMPLES).toHaveLength(10)
  for (const each of EXAMPLES) expect([each, validate(schema, parse(each))]).toEqual([each, []])
  expect(await query(t, EXAMPLES[0]!)).toEqual({ agents: { totalCount: 0, nodes: [] } })
})

test('the files of GraphiQL have hashes of their content as names, and start the editor', async () => {
  const { body: html } = await t.app.inject({ url: '/graphql', headers: { accept: 'text/html' } })
  const paths = [...html.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path = '']) => path)
  const files = await Promise.all(paths.map((path) => t.app.inject(path)))
  for (const [i, { rawPayload }] of files.entries())
    expect(paths[i]).toContain(hash('sha256', rawPayload).slice(0, 16))
  expect(files[1]?.body.trim()).toMatch(/renderYogaGraphiQL\([^<]*\);$/)
})

test('amounts, keys and times have their own scalars, and edges are typed', () => {
  const typeOf = Object.fromEntries(
    ['Agent', 'Stake'].flatMap((name) =>
      Object.values(assertObjectType(schema.getType(name)).getFields()).map((field) => [
        `${name}.${field.name}`,
        String(field.type),
      ]),
    ),
  )
  expect(typeOf).toMatchObject({
    'Stake.depositedAmount': 'U64!',
    'Stake.pda': 'Pubkey!',
    'Agent.createdAt': 'DateTime!',
    'Agent.stake': 'Stake',
    'Agent.history': 'AgentHistoryConnection!',
    'Stake.agent': 'Agent',
  })
})
