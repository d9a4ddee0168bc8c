import type { DisabledReason } from '../../domain/webhook-delivery.ts'
import type { WebhookEventType } from '../../domain/webhook-events.ts'

/** A subscription as its owner sees it; the secret is not part of it. */
export interface SubscriptionRow {
  readonly id: string
  readonly url: string
  readonly eventTypes: WebhookEventType[]
  /** Only events of this agent; null for all. */
  readonly filterAgentPda: string | null
  readonly active: boolean
  /** Why the service switched it off by itself, and when; null otherwise. */
  readonly disabledReason: DisabledReason | null
  readonly disabledAt: string | null
  /** ISO 8601 in UTC with milliseconds. */
  readonly createdAt: string
  readonly updatedAt: string
}

/** The columns of `webhook_subscriptions` under the row's names. */
export const SUBSCRIPTION_COLUMNS = [
  'id',
  'url',
  'event_types as eventTypes',
  'filter_agent_pda as filterAgentPda',
  'active',
  'disabled_reason as disabledReason',
  'disabled_at as disabledAt',
  'created_at as createdAt',
  'updated_at as updatedAt',
] as const
