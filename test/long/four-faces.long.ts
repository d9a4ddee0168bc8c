import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getNamedType, isEnumType } from 'graphql'
import { expect, test } from 'vitest'
import { loadOperators } from '../../rest/documents/operators.ts'
import { rootFields, type Selected } from '../../rest/documents/responses.ts'
import type { Operation } from '../../rest/documents/documents.ts'
import type { Client } from '@modelcontextprotocol/client'
import { createTestApp, type TestApp } from '../support/app.ts'
import {
  agentRow,
  credentialRow,
  insertAgents,
  insertHistory,
  insertStakes,
  keyOf,
  stakeRow,
} from '../support/factories.ts'
import { rowsOfEveryEvent } from '../support/event-rows.ts'
import { connectV2 } from '../support/mcp.ts'
import { generateClient, type GeneratedClient } from './support/generated-client.ts'
import { type OpenApi, problems } from '../support/openapi.ts'
import * as fc from '../support/property.ts'
import { randomOperation, type RandomOperation } from './support/graphql-operations.ts'

const OPERATIONS = 2_000
/** A process with more of them needs long for each list of tools. */
const BATCH = 100

const VALUES = {
  pda: ['High', 'Low', 'Closed'].map((name) => keyOf(`agent ${name}`)).concat(keyOf('stake High')),
  owner: ['High', 'Low', 'nobody'].map((name) => keyOf(`owner ${name}`)),
  did: ['High', 'nobody'].map((name) => `did:sol:${keyOf(`owner ${name}`)}`),
  agentPda: [keyOf('agent High')],
  query: ['High', keyOf('agent High')],
  prefix: ['H', 'lo'],
  name: ['High'],
  type: ['SecurityAudit'],
  limit: [1, 3, 200],
  offset: [0, 1, 5],
  first: [1, 3],
  last: [2],
  minReputation: [0, 500],
  maxReputation: [1_000],
  Boolean: [true, false],
  // No cursor of a list: each face refuses it.
  after: ['x'],
  before: ['x'],
  String: ['x'],
  Int: [1],
  Pubkey: [keyOf('agent High')],
}

test(`${OPERATIONS} random documents have the same result in REST, GraphQL, MCP and the generated client`, async () => {
  const seed = fc.seedOf()
  const counts = { results: 0, errors: 0, refused: 0 }
  for (let start = 0; start < OPERATIONS; start += BATCH) {
    const batch = Array.from(
      { length: BATCH },
      (_, i) => fc.sample(randomOperation(start + i, VALUES), { numRuns: 1, seed: seed + start + i })[0]!,
    )
    await checkBatch(batch, counts, seed)
  }
  // Many documents name an agent that does not exist, or a cursor of no list.
  expect(counts.results).toBeGreaterThan(OPERATIONS / 3)
  expect(counts.results + counts.errors + counts.refused).toBe(OPERATIONS)
})

async function checkBatch(
  batch: readonly RandomOperation[],
  counts: { results: number; errors: number; refused: number },
  seed: number,
): Promise<void> {
  const accepted = batch.filter((each) => isAccepted(each))
  counts.refused += batch.length - accepted.length
  const documents = load(accepted.map(({ text }) => text).join('\n'))
  const t = await createTestApp({ listens: true, operatorDocuments: documents })
  try {
    await fill(t.kysely)
    // The first read verifies the document with the current rules.
    await t.app.inject(`/agents/${keyOf('agent High')}/credentials`)
    const openapi: OpenApi = (await t.app.inject('/openapi.json')).json()
    const mcp = await connectV2(t.url)
    const client = await generateClient(openapi, t.url)
    const world = { t, mcp, openapi, client }
    for (const operation of accepted) {
      const document = documents.find(({ name }) => name === operation.name)!
      try {
        counts[await check(operation, document, world)] += 1
      } catch (error) {
        throw new Error(`seed ${seed}\n${operation.text}\n${JSON.stringify(operation.values)}`, {
          cause: error,
        })
      }
    }
    client.compile()
    client.remove()
    await mcp.close()
  } finally {
    await t.close()
  }
}

interface World {
  readonly t: TestApp
  readonly mcp: Client
  readonly openapi: OpenApi
  readonly client: GeneratedClient
}

async function check(
  operation: RandomOperation,
  document: Operation,
  { t, mcp, openapi, client }: World,
): Promise<'results' | 'errors'> {
  const path = `/x/${operation.name}`
  const rest = await t.app.inject(`${path}?${queryOf(operation.values)}`)
  const { data, errors } = await graphql(t, operation, operation.variables)
  const tool = await mcp.callTool({ name: operation.name.toLowerCase(), arguments: operation.values })
  const { operationId } = openapi.paths[path]!['get']!
  const called = await client.call(operationId, { query: operation.values }).catch((error: unknown) => error)
  const fields = rootFields(document)
  expect(rest.statusCode).toBeLessThan(500)
  if (errors !== undefined) {
    const failure = rest.json<{ details: { code: string } }>()
    expect([tool.isError, rest.statusCode >= 400]).toEqual([true, true])
    // Of fields that fail, the first one of the document decides.
    expect(called).toMatchObject({ status: rest.statusCode })
    expect(tool._meta).toMatchObject({ code: failure.details.code, status: rest.statusCode })
    // /graphql stops at the failure that comes first in time if a field cannot be null.
    if (fields.length + innerArguments(fields) > 1) return 'errors'
    // Each entry of a list has an error of its own. REST and tools report the first one.
    expect(errors.map(({ extensions }) => extensions)).toContainEqual(
      expect.objectContaining({ code: failure.details.code }),
    )
    return 'errors'
  }
  expect([rest.statusCode, rest.body]).toEqual([200, JSON.stringify(toTexts(fields, data!, true))])
  expect(tool.structuredContent).toEqual(toTexts(fields, data!, false))
  expect(JSON.stringify(called, exactNumbers)).toBe(rest.body)
  client.keep(operationId, called)
  const media = openapi.paths[path]!['get']!.responses['200']!.content!['application/json']!
  expect(problems(openapi, media.schema, rest.json())).toEqual([])
  await checkBadInput(operation, { t, mcp })
  return 'results'
}

/** How many inner fields have arguments, which can be refused. */
function innerArguments(fields: readonly Selected[]): number {
  const inner = fields.flatMap((each) => [
    ...(each.inner ?? []),
    ...Array.from(each.variants?.values() ?? []).flat(),
  ])
  if (inner.length === 0) return 0
  const own = inner.filter(({ nodes }) => nodes.some((node) => (node.arguments ?? []).length > 0))
  return own.length + innerArguments(inner)
}

interface Payload {
  readonly data: object | null
  readonly errors?: { readonly message: string; readonly extensions: object }[]
}

async function graphql(t: TestApp, { text }: RandomOperation, variables: object): Promise<Payload> {
  const payload = { query: stripped(text), variables }
  return (await t.app.inject({ method: 'POST', url: '/graphql', payload })).json()
}

/** A value of a wrong type is refused everywhere, with the name of the variable. */
async function checkBadInput(
  operation: RandomOperation,
  { t, mcp }: Pick<World, 't' | 'mcp'>,
): Promise<void> {
  const [name] = Object.keys(operation.values)
  if (name === undefined) return
  const type = new RegExp(`\\$${name}: \\[?(\\w+)`).exec(operation.text)![1]!
  // In a URL, every text is a text.
  if (type !== 'String') {
    const values = { ...operation.values, [name]: 'no value' }
    const { statusCode, body } = await t.app.inject(`/x/${operation.name}?${queryOf(values)}`)
    // If several variables fill arguments of one name, errors have that name.
    const argument = new RegExp(`(\\w+): \\$${name}\\b`).exec(operation.text)![1]!
    expect([statusCode, body]).toEqual([
      400,
      expect.stringMatching(new RegExp(`"parameter":"(${name}|${argument})"`)),
    ])
  }
  const wrong = { [name]: { wrong: true } }
  const { errors } = await graphql(t, operation, { ...operation.variables, ...wrong })
  expect(errors![0]).toMatchObject({
    message: expect.stringContaining(`$${name}`) as string,
    extensions: { code: 'INVALID_REQUEST', status: 400 },
  })
  const given = { ...operation.values, ...wrong }
  expect(await mcp.callTool({ name: operation.name.toLowerCase(), arguments: given })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining(name) as string }],
  })
}

type Kysely = Parameters<typeof insertAgents>[0]

async function fill(kysely: Kysely): Promise<void> {
  await insertAgents(kysely, [
    agentRow('High', { reputation_score: 900, capabilities: '18446744073709551615' }),
    agentRow('Low', { reputation_score: 10, card_hash_mismatch: true }),
    agentRow('Gone', { status: 'deactivated', service_category: 'dataAnalysis' }),
  ])
  await insertStakes(kysely, [stakeRow('High', { deposited_amount: '9007199254740993' })])
  await insertHistory(kysely, 'High', [
    {},
    { event_type: 'tier_updated', old_value: 'basic', new_value: 'premium', delta: null },
  ])
  await kysely.insertInto('outbox_events').values(rowsOfEveryEvent('High')).execute()
  await kysely.insertInto('agent_credentials').values(credentialRow('High')).execute()
}

function load(text: string): Operation[] {
  const folder = mkdtempSync(join(tmpdir(), 'operations-'))
  writeFileSync(join(folder, 'x.graphql'), text)
  return loadOperators(folder)
}

/** Some are too expensive, or cannot be described. */
function isAccepted({ text }: RandomOperation): boolean {
  try {
    load(text)
    return true
  } catch (error) {
    expect(String(error)).toMatch(/It costs|is an object, which a URL|must be an argument|tool|repeated/)
    return false
  }
}

const queryOf = (values: Readonly<Record<string, unknown>>): string =>
  Object.entries(values)
    .flatMap(([name, value]) => [value].flat().map((each) => `${name}=${encodeURIComponent(String(each))}`))
    .join('&')

const stripped = (text: string): string =>
  text.replace('"Random" ', '').replaceAll(/@(?:rest|tool|model)\([^)]*\)/g, '')

/** The client has integers of 64 bits as bigint. */
const exactNumbers = (_name: string, value: unknown): unknown =>
  typeof value === 'bigint' ? rawJson(String(value)) : value

const rawJson = (JSON as unknown as { rawJSON: (text: string) => unknown }).rawJSON

const typeIn = (value: unknown): string => (value as { type: string }).type

/** The data of /graphql as REST has it: enums are texts, and integers of 64 bits numbers. */
function toTexts(fields: readonly Selected[], data: object, isRest: boolean): unknown {
  const change = (selected: Selected, value: unknown): unknown => {
    const { field, inner, variants } = selected
    if (value === null) return null
    if (Array.isArray(value)) return value.map((each) => change(selected, each))
    if (inner !== null) return toTexts(inner, value as object, isRest)
    if (variants !== null) return toTexts(variants.get(typeIn(value))!, value as object, isRest)
    const type = getNamedType(field.type)
    if (isEnumType(type)) return type.getValue(value as string)!.value
    if (type.name !== 'U64' || !isRest) return value
    const number = Number(value)
    return Number.isSafeInteger(number) ? number : rawJson(value as string)
  }
  return Object.fromEntries(
    fields.map((each) => [each.name, change(each, (data as Record<string, unknown>)[each.name])]),
  )
}
