/** The event types that webhooks can subscribe to (contract, "Event types"). */
export const WEBHOOK_EVENT_TYPES = [
  'agent.registered',
  'agent.updated',
  'agent.reputation_updated',
  'agent.tier_updated',
  'agent.status_changed',
  'agent.suspended',
  'agent.reactivated',
  'agent.deactivated',
  'agent.closed',
  'stake.deposited',
  'stake.withdrawn',
  'stake.withdrawal_requested',
  'stake.withdrawal_cancelled',
  'stake.closed',
] as const

export type WebhookEventType = (typeof WEBHOOK_EVENT_TYPES)[number]

/** PostgreSQL channel that tells live streams that there are new events. */
export const EVENTS_CHANNEL = 'registry_events'
