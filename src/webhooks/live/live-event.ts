import { WEBHOOK_EVENT_TYPES, type WebhookEventType } from '../../domain/webhook-events.ts'
import { DomainError } from '../../domain/errors.ts'
import { enumParameter, optional, pubkeyParameter } from '../../domain/parameters.ts'

/** An event with the content of its webhook body. `pda` has its GraphQL name. */
export interface LiveEvent {
  /** The same in every stream, webhook and replica, and after a rebuild. */
  readonly id: string
  readonly type: WebhookEventType
  readonly agentPda: string
  readonly slot: number
  /** ISO 8601 with milliseconds. */
  readonly timestamp: string
  readonly data: unknown
  /** Base-58. Null if the transaction is not known any more. */
  readonly signature: string | null
  /** When the event was read. Null if the agent was closed by then. */
  readonly agentName: string | null
}

/** A row of `outbox_events` with its position in the order of all events. */
export interface OutboxRow {
  readonly position: number
  readonly type: WebhookEventType
  readonly agentPda: string
  /** The body that webhooks receive. */
  readonly body: string
  readonly signature: string | null
  readonly agentName: string | null
}

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown
const { parse } = JSON as unknown as { parse: (this: void, text: string, reviver: Reviver) => unknown }

/** Parses a body. Integers above 2^53 are text, with all their digits. */
export function liveEvent({ body, signature, agentName }: OutboxRow): LiveEvent {
  const { pda, ...event } = parse(body, (_, value, { source }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && source !== undefined ? source : value,
  ) as Omit<LiveEvent, 'agentPda' | 'signature' | 'agentName'> & { pda: string }
  return { ...event, agentPda: pda, signature, agentName }
}

export interface EventFilterInput {
  /** Every type by default. */
  readonly types?: readonly string[] | null
  readonly agentPda?: string | null
  /** Only events of these agents. */
  readonly agentPdas?: readonly string[]
}

export interface EventFilter {
  /** Every type if undefined. */
  readonly types?: ReadonlySet<WebhookEventType>
  readonly agentPda?: string
  /** Only these agents. */
  readonly agentPdas?: ReadonlySet<string>
}

const readType = enumParameter(WEBHOOK_EVENT_TYPES)

/** Throws INVALID_ENUM, INVALID_PUBKEY, and INVALID_REQUEST for an empty list. */
export function eventFilter({ types, agentPda, agentPdas }: EventFilterInput): EventFilter {
  if (types?.length === 0)
    throw new DomainError('INVALID_REQUEST', { problem: 'types must contain at least one event type' })
  return {
    types: types ? new Set(types.map((type) => readType('types', type))) : undefined,
    agentPda: optional(pubkeyParameter, 'agentPda', agentPda),
    agentPdas: agentPdas && new Set(agentPdas.map((each) => pubkeyParameter('agentPdas', each))),
  }
}
