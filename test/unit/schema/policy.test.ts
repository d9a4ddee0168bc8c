import { type GraphQLField, OperationTypeNode } from 'graphql'
import { expect, test } from 'vitest'
import { schema } from '../../../schema/index.ts'
import { operationPriority } from '../../../schema/priority.ts'
import { DomainError, isDomainError } from '../../../src/domain/errors.ts'
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
    operator: () => {
      throw new DomainError('OPERATOR_FORBIDDEN')
    },
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
