/** The event types of `GET /agents/:pda/history` (contract, "Agent history entry"). */
export type HistoryEventType = 'reputation_updated' | 'tier_updated' | 'status_changed' | 'metadata_updated'
