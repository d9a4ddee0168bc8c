import { readFileSync } from 'node:fs'
import {
  buildSchema,
  getNamedType,
  type GraphQLInterfaceType,
  isEnumType,
  Kind,
  parse,
  type SelectionSetNode,
} from 'graphql'
import { expect, test } from 'vitest'
import { NAMED_MEMBERS } from '../src/generated/events.ts'
import { EXACT_MEMBERS } from '../src/generated/exact-members.ts'
import { EVENTS_SUBSCRIPTION } from '../src/graphql/documents.ts'
import { createRegistry, type RegistryEvent } from '../src/index.ts'

const schema = buildSchema(readFileSync(new URL('../../../schema/schema.graphql', import.meta.url), 'utf8'))
const interfaceType = schema.getType('RegistryEvent') as GraphQLInterfaceType
/** Fields that webhooks do not have. */
const BESIDE: ReadonlySet<string> = new Set(['agent', 'agentName', 'transaction', 'signature'])
const types = schema.getPossibleTypes(interfaceType).map((type) => ({
  name: type.name,
  fields: Object.values(type.getFields()).filter(({ name }) => !BESIDE.has(name)),
}))

function selected({ selections }: SelectionSetNode, type: string): string[] {
  return selections.flatMap((each) => {
    if (each.kind === Kind.FIELD) return [each.name.value]
    const isOfType = each.kind === Kind.INLINE_FRAGMENT && each.typeCondition?.name.value === type
    return isOfType ? selected(each.selectionSet, type) : []
  })
}

test.each(types)('$name is subscribed with all members of its webhook', ({ name, fields }) => {
  const [operation] = parse(EVENTS_SUBSCRIPTION).definitions
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('no operation')
  const [root] = operation.selectionSet.selections
  if (root?.kind !== Kind.FIELD || root.selectionSet === undefined) throw new Error('no field')
  expect(selected(root.selectionSet, name).toSorted()).toEqual(fields.map((field) => field.name).toSorted())
})

test.each(types)('enums and integers of $name are converted', ({ fields }) => {
  for (const { name, type } of fields.filter((field) => field.name !== 'type')) {
    const named = getNamedType(type)
    expect([name, NAMED_MEMBERS.has(name)]).toEqual([name, isEnumType(named)])
    expect([name, EXACT_MEMBERS.has(name)]).toEqual([name, named.name === 'U64'])
  }
})

/** The events of a stream with these results, and the variables that the client sent. */
async function streamed(results: object[], options = {}) {
  const requests: unknown[] = []
  const registry = createRegistry('https://gateway.example', {
    fetch: async (_, init) => {
      requests.push(JSON.parse(init!.body as string))
      const messages = results.map(
        (each) => `event: next\ndata: ${JSON.stringify({ data: { registryEvents: each } })}\n\n`,
      )
      return new Response(messages.join(''), { headers: { 'content-type': 'text/event-stream' } })
    },
  })
  const events: RegistryEvent[] = []
  for await (const event of registry.events({ after: 'evt_0', ...options })) {
    events.push(event)
    if (events.length === results.length) break
  }
  return { events, requests }
}

const common = { slot: 7, timestamp: '2026-11-21T06:29:22.000Z', agentPda: 'agent' }
const owner = 'owner'
const sent = (id: string, type: string, members: object = {}) => ({ id, type, ...common, owner, ...members })
const received = (id: string, type: string, data: object) => ({
  id,
  type,
  ...common,
  data: { agentPda: common.agentPda, owner, ...data },
})

test('events have the types and data of webhooks', async () => {
  const { events } = await streamed([
    sent('evt_1', 'AGENT_REGISTERED', {
      name: 'A_B',
      tier: 'OBSERVER',
      serviceCategory: 'DATA_ANALYSIS',
      capabilities: '18446744073709551615',
    }),
    sent('evt_2', 'AGENT_UPDATED', {
      changes: {
        name: null,
        serviceCategory: { old: 'OTHER', new: 'CUSTOMER_SERVICE' },
        capabilities: { old: '0', new: '9007199254740993' },
        version: { old: '', new: '2' },
      },
    }),
    sent('evt_3', 'STAKE_WITHDRAWAL_REQUESTED', { amount: '5', pendingWithdrawal: '5' }),
  ])
  expect(events).toEqual([
    received('evt_1', 'agent.registered', {
      name: 'A_B',
      tier: 'observer',
      serviceCategory: 'dataAnalysis',
      capabilities: 18446744073709551615n,
    }),
    received('evt_2', 'agent.updated', {
      changes: {
        serviceCategory: { old: 'other', new: 'customerService' },
        capabilities: { old: 0n, new: 9007199254740993n },
        version: { old: '', new: '2' },
      },
    }),
    received('evt_3', 'stake.withdrawal_requested', { amount: 5n, pendingWithdrawal: 5n }),
  ])
})

test('onOpen is called after each connection, and not for one that is refused', async () => {
  let requests = 0
  const opened: number[] = []
  const registry = createRegistry('https://gateway.example', {
    fetch: async () => {
      requests += 1
      if (requests === 1) return new Response('', { status: 503, headers: { 'retry-after': '0' } })
      return new Response('', { headers: { 'content-type': 'text/event-stream' } })
    },
  })
  const stop = new AbortController()
  const onOpen = (): void => {
    if (opened.push(requests) === 2) stop.abort()
  }
  for await (const _ of registry.events({ after: 'evt_0', signal: stop.signal, onOpen })) void _
  expect(opened).toEqual([2, 3])
})

test('filters have the names of GraphQL', async () => {
  const { requests } = await streamed([sent('evt_1', 'AGENT_CLOSED')], {
    types: ['agent.closed', 'agent.reputation_updated'],
    agent: 'agent',
  })
  const filter = { types: ['AGENT_CLOSED', 'AGENT_REPUTATION_UPDATED'], agentPda: 'agent' }
  expect(requests).toMatchObject([{ variables: { filter, after: 'evt_0' } }])
})
