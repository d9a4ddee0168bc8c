import type { WebhookEventType } from '../domain/webhook-events.ts'

/** An event as webhook bodies tell it, `pda` under its schema name. */
export interface LiveEvent {
  /** The same for every stream, webhook and replica, and after a rebuild. */
  readonly id: string
  readonly type: WebhookEventType
  readonly agentPda: string
  readonly slot: number
  /** ISO 8601 with milliseconds. */
  readonly timestamp: string
  readonly data: unknown
}

/** A row of the outbox at its place among all events. */
export interface OutboxRow {
  readonly position: number
  readonly type: WebhookEventType
  readonly agentPda: string
  /** The bytes that webhooks are sent. */
  readonly body: string
}

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown
const { parse, rawJSON } = JSON as unknown as {
  parse: (this: void, text: string, reviver: Reviver) => unknown
  rawJSON: (this: void, text: string) => unknown
}

/** Integers beyond 2^53 keep their digits when they are written as JSON again. */
export function liveEvent({ body }: OutboxRow): LiveEvent {
  const { id, type, pda, slot, timestamp, data } = parse(body, (_, value, { source }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && source !== undefined
      ? rawJSON(source)
      : value,
  ) as Omit<LiveEvent, 'agentPda'> & { pda: string }
  return { id, type, agentPda: pda, slot, timestamp, data }
}
