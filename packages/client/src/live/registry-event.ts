import type { WebhookEvent } from '../generated/api.ts'
import { NAMED_MEMBERS } from '../generated/events.ts'
import { EXACT_MEMBERS } from '../generated/exact-members.ts'

type Live<Event> = Event extends { pda: string } ? Omit<Event, 'pda'> & { agentPda: string } : never

/** An event of the registry, with the same `id`, `type` and `data` as a webhook. */
export type RegistryEvent = Live<WebhookEvent>
export type RegistryEventType = RegistryEvent['type']

type Members = Readonly<Record<string, unknown>>

/** An event of /graphql, where the members of `data` are fields. */
export interface GraphQLEvent extends Members {
  readonly id: string
  readonly type: string
  readonly slot: number
  readonly timestamp: string
  readonly agentPda: string
}

/** The name in GraphQL: AGENT_REGISTERED for agent.registered. */
export const typeName = (type: RegistryEventType): string => type.replaceAll('.', '_').toUpperCase()

/** The event with the `type` and the `data` of webhooks. */
export function registryEvent({ id, type, slot, timestamp, ...members }: GraphQLEvent): RegistryEvent {
  const { agentPda } = members
  const data = Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, valueOf(name, value)]),
  )
  const event = { id, type: type.toLowerCase().replace('_', '.'), agentPda, slot, timestamp, data }
  return event as unknown as RegistryEvent
}

function valueOf(name: string, value: unknown): unknown {
  if (name === 'changes') return changesOf(value as Members)
  if (EXACT_MEMBERS.has(name)) return BigInt(value as string)
  return NAMED_MEMBERS.has(name) ? camelCase(value as string) : value
}

/** The fields that changed. The others are null. */
function changesOf(changes: Members): Members {
  const changed = Object.entries(changes).filter(([, change]) => change !== null) as [string, Members][]
  return Object.fromEntries(
    changed.map(([name, each]) => [
      name,
      { old: valueOf(name, each['old']), new: valueOf(name, each['new']) },
    ]),
  )
}

const camelCase = (name: string): string =>
  name.toLowerCase().replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())
