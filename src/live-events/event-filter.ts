import { DomainError } from '../domain/errors.ts'
import { enumParameter, optional, pubkeyParameter } from '../domain/parameters.ts'
import { WEBHOOK_EVENT_TYPES, type WebhookEventType } from '../domain/webhook-events.ts'

export interface EventFilterInput {
  /** Every type by default. */
  readonly types?: readonly string[] | null
  readonly agentPda?: string | null
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
export function eventFilter({ types, agentPda }: EventFilterInput): EventFilter {
  if (types?.length === 0)
    throw new DomainError('INVALID_REQUEST', { problem: 'types must contain at least one event type' })
  return {
    types: types ? new Set(types.map((type) => readType('types', type))) : undefined,
    agentPda: optional(pubkeyParameter, 'agentPda', agentPda),
  }
}
