import {
  getNamedType,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  isEnumType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import { eventTypeName } from '../../schema/event-names.ts'
import { schema } from '../../schema/index.ts'
import { WEBHOOK_EVENT_TYPES, type WebhookEventType } from '../../src/domain/webhook-events.ts'
import { type Json, object, VALUES } from '../contract/shapes.ts'
import { choice, scalar } from '../documents/json-schema.ts'

export interface EventSchema {
  readonly when: string
  /** The members of `data`. */
  readonly data: Json
}

/** The fields of every event that are also members of `data`. */
const SUBJECT = new Set(['agentPda', 'owner'])
const COMMON = new Set(Object.keys(typeOf('RegistryEvent').getFields())).difference(SUBJECT)

function typeOf(name: string): GraphQLObjectType {
  return schema.getType(name) as GraphQLObjectType
}

function eventSchema(type: WebhookEventType): EventSchema {
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
) as Readonly<Record<WebhookEventType, EventSchema>>
