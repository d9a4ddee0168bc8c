/** The event types of `GET /agents/:pda/history` (contract, "Agent history entry"). */
export const HISTORY_EVENT_TYPES = [
  'reputation_updated',
  'tier_updated',
  'status_changed',
  'metadata_updated',
] as const

export type HistoryEventType = (typeof HISTORY_EVENT_TYPES)[number]
