import type { WebhookEventType } from '../domain/webhook-events.ts'

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
}

/** A row of `outbox_events` with its position in the order of all events. */
export interface OutboxRow {
  readonly position: number
  readonly type: WebhookEventType
  readonly agentPda: string
  /** The body that webhooks receive. */
  readonly body: string
  readonly signature: string | null
}

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown
const { parse } = JSON as unknown as { parse: (this: void, text: string, reviver: Reviver) => unknown }

/** Parses a body. Integers above 2^53 are text, with all their digits. */
export function liveEvent({ body, signature }: OutboxRow): LiveEvent {
  const { pda, ...event } = parse(body, (_, value, { source }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && source !== undefined ? source : value,
  ) as Omit<LiveEvent, 'agentPda' | 'signature'> & { pda: string }
  return { ...event, agentPda: pda, signature }
}
