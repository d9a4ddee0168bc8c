import type { RegistryEvent } from '@agent-registry/program'
import type { HistoryEventType } from '../../domain/history-events.ts'
import { metadataChanges } from './metadata-changes.ts'
import { jsonText } from './values.ts'

export interface HistoryEntry {
  eventType: HistoryEventType
  oldValue: string
  newValue: string
  /** Signed, such as `+12`; reputation only. */
  delta: string | null
}

/** What an event adds to its agent's history (contract, "Agent history entry"); null for events that are no part of it. */
export function historyEntry(event: RegistryEvent): HistoryEntry | null {
  switch (event.name) {
    case 'ReputationUpdated': {
      const { oldScore, newScore, delta } = event.data
      return entry('reputation_updated', String(oldScore), String(newScore), signed(delta))
    }
    case 'TierUpdated':
      return entry('tier_updated', event.data.oldTier, event.data.newTier)
    case 'AgentSuspended':
    case 'AgentReactivated':
    case 'AgentDeactivated':
      return entry('status_changed', event.data.oldStatus, event.data.newStatus)
    case 'AgentUpdated': {
      const changes = metadataChanges(event.data.old, event.data.new)
      const side = (which: 'old' | 'new'): string =>
        jsonText(Object.fromEntries(changes.map((change) => [change.column, change[which]])))
      return entry('metadata_updated', side('old'), side('new'))
    }
    default:
      return null
  }
}

function entry(
  eventType: HistoryEventType,
  oldValue: string,
  newValue: string,
  delta: string | null = null,
): HistoryEntry {
  return { eventType, oldValue, newValue, delta }
}

const signed = (delta: number): string => (delta < 0 ? String(delta) : `+${delta}`)
