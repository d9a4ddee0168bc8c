import {
  getNamedType,
  type GraphQLField,
  isAbstractType,
  isObjectType,
  type GraphQLObjectType,
  OperationTypeNode,
} from 'graphql'
import { expect, test } from 'vitest'
import { schema } from '../../../schema/index.ts'
import { operationPriority } from '../../../schema/priority.ts'
import { isDomainError } from '../../../src/domain/errors.ts'
import { RATE_LIMIT_KINDS } from '../../../src/platform/rate-limits/rate-limits.ts'
import { operations } from '../../../rest/documents/documents.ts'

interface RootField {
  readonly operation: OperationTypeNode
  readonly name: string
  readonly field: GraphQLField<unknown, unknown>
}

const rootFields: RootField[] = Object.values(OperationTypeNode).flatMap((operation) =>
  Object.values(schema.getRootType(operation)!.getFields()).map((field) => ({
    operation,
    name: field.name,
    field,
  })),
)

/** Services that find nothing. */
const services = new Proxy({}, { get: () => new Proxy({}, { get: () => () => ({ credentials: [] }) }) })

/** The rate limits that the field counts, and `wallet` if it requires one, in order. */
async function stepsOf({ operation, field }: RootField): Promise<string[]> {
  const steps: string[] = []
  const unsigned = () => {
    steps.push('wallet')
    throw new Error('not signed')
  }
  const context = {
    services,
    count: (kind: string) => void steps.push(kind),
    authenticate: unsigned,
    caller: unsigned,
  }
  const run = operation === OperationTypeNode.SUBSCRIPTION ? field.subscribe : field.resolve
  const attempt = async () => run!({}, { id: '', ids: [], input: {} }, context, {} as never)
  await attempt().catch((error: Error) => {
    // A service or a reader of arguments has refused the empty arguments.
    if (error.message !== 'not signed' && !isDomainError(error)) throw error
  })
  return steps
}

test('every mutation names its rate limit', () => {
  const silent = rootFields.filter(
    ({ operation, field }) =>
      operation === OperationTypeNode.MUTATION && field.extensions.rateLimit === undefined,
  )
  expect(silent.map(({ name }) => name)).toEqual([])
})

test.each(rootFields)(
  '$operation $name is counted by its limit before it runs, or requires a wallet',
  async (root) => {
    const { rateLimit } = root.field.extensions
    const first = rateLimit === null ? 'wallet' : rateLimit
    expect([...Object.keys(RATE_LIMIT_KINDS), 'wallet', undefined]).toContain(first)
    expect((await stepsOf(root))[0]).toBe(first)
  },
)

/** The fields, such as Agent.stake, that responses of cached root fields can contain. */
function cachedFields(): Set<string> {
  const found = new Set<string>()
  const visit = (field: GraphQLField<unknown, unknown>): void => {
    if (field.extensions.tables === 'uncached') return
    const type = getNamedType(field.type)
    const below = isAbstractType(type) ? schema.getPossibleTypes(type) : [type].filter(isObjectType)
    for (const each of below) visitType(each)
  }
  const visitType = (type: GraphQLObjectType): void => {
    for (const field of Object.values(type.getFields())) {
      const name = `${type.name}.${field.name}`
      if (found.has(name)) continue
      found.add(name)
      visit(field)
    }
  }
  for (const { field } of rootFields) if (field.extensions.tables !== undefined) visit(field)
  return found
}

test('every nested field that reads more than its row says which tables, or is never cached', async () => {
  const silent: string[] = []
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__') || type === schema.getSubscriptionType()) continue
    if (type === schema.getQueryType() || type === schema.getMutationType()) continue
    for (const { name, resolve, extensions } of Object.values(type.getFields())) {
      let reads = false
      const trap = new Proxy({}, { get: () => ((reads = true), () => ({ load: () => null })) })
      const row = new Proxy({}, { get: () => '0' })
      const idle = () => undefined
      const context = { loaders: trap, services: trap, spend: idle, chargeEvent: idle }
      await Promise.resolve()
        .then(() => resolve?.(row, {}, context, { fieldNodes: [], fragments: {} } as never))
        .catch(() => undefined)
      if (reads && extensions.tables === undefined) silent.push(`${type.name}.${name}`)
    }
  }
  expect(silent).toEqual(expect.arrayContaining(['Ledger.rentExemption', 'AgentClosedEvent.agent']))
  const cached = cachedFields()
  expect(Array.from(cached)).toEqual(expect.arrayContaining(['Agent.history', 'AgentHistoryEntry.delta']))
  expect(silent.filter((name) => cached.has(name))).toEqual([])
})

test('fields that require a wallet have high priority', async () => {
  const low = rootFields.filter(({ field }) => field.extensions.priority !== 'high')
  const steps = await Promise.all(low.map(stepsOf))
  expect(low.filter((_, i) => steps[i]!.includes('wallet')).map(({ name }) => name)).toEqual([])
})

test('only signed operations of REST and MCP have high priority', () => {
  const high = Array.from(operations.values())
    .filter(({ document }) => operationPriority(document) === 'high')
    .map(({ name }) => name)
  expect(high.sort()).toEqual([
    'CreateSession',
    'CreateWebhook',
    'DeleteWebhook',
    'EndSession',
    'GetSession',
    'ListOwnWebhooks',
    'ListWebhookDeliveries',
    'ListWebhooks',
    'PingWebhook',
    'RecoverWebhook',
    'ResendWebhookDelivery',
    'RotateWebhookSecret',
    'SubmitSponsoredRegistration',
    'SubmitTransaction',
    'UpdateWebhook',
    'VerifyCredential',
    'VerifyHostedCredential',
  ])
})
