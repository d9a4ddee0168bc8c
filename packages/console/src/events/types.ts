import type { WebhookEventType } from './events.generated.ts'

const TITLES: Readonly<Record<WebhookEventType, string>> = {
  AGENT_REGISTERED: 'Registered',
  AGENT_UPDATED: 'Updated',
  AGENT_REPUTATION_UPDATED: 'Reputation changed',
  AGENT_TIER_UPDATED: 'Tier changed',
  AGENT_STATUS_CHANGED: 'Status changed',
  AGENT_SUSPENDED: 'Suspended',
  AGENT_REACTIVATED: 'Reactivated',
  AGENT_DEACTIVATED: 'Deactivated',
  AGENT_CLOSED: 'Closed',
  STAKE_DEPOSITED: 'Deposit',
  STAKE_WITHDRAWAL_REQUESTED: 'Withdrawal requested',
  STAKE_WITHDRAWAL_CANCELLED: 'Withdrawal cancelled',
  STAKE_WITHDRAWN: 'Withdrawal paid',
  STAKE_CLOSED: 'Stake closed',
}

export const EVENT_TYPES = Object.keys(TITLES) as WebhookEventType[]
/** Without those that a more specific event follows, such as suspended. */
export const DISTINCT_TYPES = EVENT_TYPES.filter((type) => type !== 'AGENT_STATUS_CHANGED')
export const STAKE_EVENT_TYPES = EVENT_TYPES.filter((type) => type.startsWith('STAKE_'))

export const EVENT_GROUPS = [
  { title: 'Agents', types: EVENT_TYPES.filter((type) => !STAKE_EVENT_TYPES.includes(type)) },
  { title: 'Stakes', types: STAKE_EVENT_TYPES },
]

/** A short title for an event type, or for a ping. */
export function eventTitle(type: WebhookEventType | 'PING'): string {
  return type === 'PING' ? 'Test event' : TITLES[type]
}

/** The text in webhooks and in the client: `agent.registered` for AGENT_REGISTERED. */
export const eventText = (type: WebhookEventType | 'PING'): string => type.toLowerCase().replace('_', '.')

/** What a delivery carries. `exampleOf` is only set for test events. */
export const deliveryTitle = (of: {
  eventType: WebhookEventType | 'PING'
  exampleOf: WebhookEventType | null
}) => (of.exampleOf ? `Example: ${eventTitle(of.exampleOf)}` : eventTitle(of.eventType))
