import { WEBHOOK_EVENT_TYPES, type WebhookEventType } from '../../src/domain/webhook-events.ts'
import { eventName, eventTypeName } from '../../schema/enum-values.ts'
import { UUID_EXAMPLE as ID } from '../../schema/relay.ts'
import { DateTime, integer, type Json, named, object, Pubkey, text, VALUES } from '../contract/shapes.ts'
import {
  getNamedType,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  isEnumType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import { schema } from '../../schema/index.ts'
import { choice, scalar } from '../documents/json-schema.ts'

const header = (name: string, description: string, example: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
  example,
})

const HEADERS = [
  header(
    'X-Service-Signature',
    'HMAC-SHA256 of `<timestamp>.<raw body>` with the secret of the subscription, as lower-case hex.',
    '5d41402abc4b2a76b9719d911017c592ae3f1c1ea7d9d2f3a0a1c0c2c7d2f1b0',
  ),
  header('X-Service-Timestamp', 'Unix time of this attempt, in seconds.', '1795184526'),
  header('webhook-id', 'Id of the event, as in Standard Webhooks.', 'evt_7YbmGZ1qkWGDW5o4mhHQnS'),
  header('webhook-timestamp', 'The same time as in X-Service-Timestamp.', '1795184526'),
  header(
    'webhook-signature',
    '`v1,` and the base64 HMAC-SHA256 of `<id>.<timestamp>.<raw body>`, as in Standard Webhooks.',
    'v1,XUEEKrxLKnatd52b2ZVfkuA8HH6tnS86ChwNLH0vGw0=',
  ),
  header('X-Service-Event', 'The event type. It is not signed: use `type` of the body.', 'agent.registered'),
  header('X-Service-Delivery', 'Id of the delivery. It is the same in every attempt.', ID),
  header('X-Service-Attempt', 'Number of the attempt, from 1.', '1'),
]

const RESPONSES = {
  '2XX': { description: 'Received. Every status from 200 to 299 counts.' },
  '410': { description: 'The receiver is gone. The service disables the subscription.' },
}

function webhook(
  type: string,
  when: string,
  pda: Json,
  data: Json,
  more: Readonly<Record<string, Json>> = {},
) {
  const name = eventName(type)
  const payload = object(
    {
      id: text('Id of the event. It is the same in every delivery.', 'evt_7YbmGZ1qkWGDW5o4mhHQnS'),
      type: { type: 'string', const: type, description: 'The event type.' },
      pda,
      slot: integer('Slot of the transaction.', 312_004_551),
      timestamp: { ...DateTime, description: 'Time of the event on the ledger.' },
      data,
      ...more,
    },
    { description: when, optional: Object.keys(more) },
  )
  return {
    post: {
      operationId: `on${name}`,
      tags: ['Events'],
      summary: name.replaceAll(/(?<!^)[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
      description: when,
      security: [],
      parameters: HEADERS,
      requestBody: {
        required: true,
        content: { 'application/json': { schema: named(`${name}Event`, payload) } },
      },
      responses: RESPONSES,
    },
  }
}

const agentPda = { ...Pubkey, description: 'Account address of the agent.' }
const test = {
  type: 'boolean',
  description:
    'True for an example with made-up values, which the owner of the webhook requested. Else absent.',
}
const filterPda = {
  ...Pubkey,
  description: 'The agent filter of the subscription, or null.',
  type: ['string', 'null'],
  examples: [null],
}

/**
 * The requests that the service sends to receivers: one for each event type, and the test event.
 */
export function webhooksSection() {
  const events = WEBHOOK_EVENT_TYPES.map((type) => {
    const { when, data } = EVENT_SCHEMAS[type]
    return [type, webhook(type, when, agentPda, data, { test })] as const
  })
  const ping = webhook(
    'ping',
    'A test event, sent by POST /webhooks/{id}/ping. A subscription cannot name it.',
    filterPda,
    object({ webhookId: text('Id of the subscription.', ID) }),
  )
  return Object.fromEntries([...events, ['ping', ping]])
}

/** The fields of every event that are also members of `data`. */
const SUBJECT = new Set(['agentPda', 'owner'])
const COMMON = new Set(Object.keys(typeOf('RegistryEvent').getFields())).difference(SUBJECT)

function typeOf(name: string): GraphQLObjectType {
  return schema.getType(name) as GraphQLObjectType
}

function eventSchema(type: WebhookEventType) {
  const event = typeOf(eventTypeName(type))
  const members = Object.entries(event.getFields()).filter(([name]) => !COMMON.has(name))
  return { when: event.description ?? '', data: objectOf(Object.fromEntries(members)) }
}

/** In JSON, a member that would be null is absent. */
function objectOf(fields: Readonly<Record<string, GraphQLField<unknown, unknown>>>, more: Json = {}): Json {
  const optional = Object.keys(fields).filter((name) => !isNonNullType(fields[name]!.type))
  const properties = Object.entries(fields).map(([name, field]) => [name, member(field)] as const)
  return object(Object.fromEntries(properties), { optional, ...more })
}

function member({ type, description, extensions: { jsonSchema } }: GraphQLField<unknown, unknown>): Json {
  const named = getNamedType(type)
  if (!isObjectType(named)) return { ...valueOf(named), description, ...jsonSchema }
  const { old, ...others } = named.getFields()
  if (old === undefined) return objectOf(others, { description, ...jsonSchema })
  const value = { ...valueOf(getNamedType(old.type)), description, ...jsonSchema }
  return object({ old: value, new: value })
}

const valueOf = (type: GraphQLNamedType): Json =>
  isEnumType(type) ? { ...choice(type), [VALUES]: undefined } : scalar(type.name).output

/** What each event type means, and its `data`. Docs and the OpenAPI document are made from it. */
export const EVENT_SCHEMAS = Object.fromEntries(
  WEBHOOK_EVENT_TYPES.map((type) => [type, eventSchema(type)]),
) as Readonly<Record<WebhookEventType, ReturnType<typeof eventSchema>>>
