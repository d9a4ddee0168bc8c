import type { Generated, GeneratedAlways } from 'kysely'
import type {
  AttemptOutcome,
  DeliveryStatus,
  DeliveryTrigger,
  DisabledReason,
} from '../../domain/webhook-delivery.ts'
import type { WebhookEventType } from '../../domain/webhook-events.ts'
import type { Timestamp } from './columns.ts'

export interface WebhookSubscriptionsTable {
  /** A UUID. */
  id: string
  /** Base-58. */
  wallet: string
  url: string
  /** The URL's host, lower case. */
  host: GeneratedAlways<string | null>
  event_types: WebhookEventType[]
  filter_agent_pda: string | null
  active: Generated<boolean>
  secret_encrypted: Buffer
  created_at: Generated<Timestamp>
  updated_at: Generated<Timestamp>
  /** Once set, the row is only there for what was sent, and is removed with it. */
  deleted_at: Timestamp | null
  /** When the service switched it off by itself, and why. Both null otherwise. */
  disabled_at: Timestamp | null
  disabled_reason: DisabledReason | null
  /** The first failure since the last success. */
  failing_since: Timestamp | null
  last_failure_at: Timestamp | null
  /** Attempts in a row that found no receiver: refused, unreachable or timed out. */
  connect_failures: Generated<number>
  /** How often in a row the breaker opened. */
  breaker_opens: Generated<number>
  /** Nothing is sent before. Passed but not null while the breaker is open: one probe may be in flight. */
  paused_until: Timestamp | null
}

export interface WebhookDeliveriesTable {
  /** A UUID. */
  id: Generated<string>
  subscription_id: string
  /** Of outbox_events, or made up for a ping. */
  event_id: string
  event_type: string
  /** Of a ping only; events have theirs in outbox_events. */
  body: string | null
  status: Generated<DeliveryStatus>
  /** Of the next attempt while one is due, then of the last. */
  trigger: Generated<DeliveryTrigger>
  attempt_count: Generated<number>
  /** Failures since it was enqueued or sent again: its place in the retry schedule. */
  retry_step: Generated<number>
  /** Claims without outcome since the last attempt. */
  claim_count: Generated<number>
  next_attempt_at: Timestamp | null
  /** Who writes the outcome must know it. */
  lease_token: string | null
  lease_until: Timestamp | null
  created_at: Generated<Timestamp>
  completed_at: Timestamp | null
}

export interface WebhookAttemptsTable {
  id: GeneratedAlways<number>
  delivery_id: string
  /** From 1. */
  number: number
  trigger: DeliveryTrigger
  outcome: AttemptOutcome
  started_at: Timestamp
  duration_ms: number
  response_status: number | null
  error_code: string | null
  /** What the receiver answered, cut and made text. */
  response_excerpt: string | null
  /** When it was to be tried again. */
  next_attempt_at: Timestamp | null
}
