import type { AgentMetadata, RegistryEvent } from '@agent-registry/program'
import type { HistoryEventType } from '../../domain/history-events.ts'
import { hex, jsonText, databaseText } from './values.ts'

export interface HistoryEntry {
  event_type: HistoryEventType
  old_value: string
  new_value: string
  /** Signed, such as `+12`. Only for reputation. */
  delta: string | null
}

/**
 * The entry in the agent's history (contract, "Agent history entry"). Null if the event has none.
 */
export function historyEntry(event: RegistryEvent): HistoryEntry | null {
  switch (event.name) {
    case 'ReputationUpdated': {
      const { oldScore, newScore, delta } = event.data
      return {
        ...entry('reputation_updated', String(oldScore), String(newScore)),
        delta: delta < 0 ? String(delta) : `+${delta}`,
      }
    }
    case 'TierUpdated':
      return entry('tier_updated', event.data.oldTier, event.data.newTier)
    case 'AgentSuspended':
    case 'AgentReactivated':
    case 'AgentDeactivated':
      return entry('status_changed', event.data.oldStatus, event.data.newStatus)
    case 'AgentUpdated': {
      const changes = metadataChanges(event.data.old, event.data.new)
      const valuesOf = (side: 'old' | 'new'): string =>
        jsonText(Object.fromEntries(changes.map((each) => [METADATA_COLUMNS[each.field], each[side]])))
      return entry('metadata_updated', valuesOf('old'), valuesOf('new'))
    }
    default:
      return null
  }
}

const entry = (event_type: HistoryEventType, old_value: string, new_value: string): HistoryEntry => ({
  event_type,
  old_value,
  new_value,
  delta: null,
})

interface MetadataChange {
  /** In camelCase, as in webhook bodies. */
  field: keyof AgentMetadata
  old: string | bigint
  new: string | bigint
}

/** Columns of `agents`, by the member of events. */
export const METADATA_COLUMNS: Record<keyof AgentMetadata, string> = {
  name: 'name',
  serviceCategory: 'service_category',
  capabilities: 'capabilities',
  version: 'version',
  agentCardUrl: 'agent_card_url',
  agentCardHash: 'agent_card_hash',
}
const FIELDS = Object.keys(METADATA_COLUMNS) as (keyof AgentMetadata)[]

/** The metadata fields whose values differ. */
export function metadataChanges(before: AgentMetadata, after: AgentMetadata): MetadataChange[] {
  return FIELDS.map((field) => ({
    field,
    old: plainValue(before[field]),
    new: plainValue(after[field]),
  })).filter((change) => change.old !== change.new)
}

function plainValue(value: AgentMetadata[keyof AgentMetadata]): string | bigint {
  if (value instanceof Uint8Array) return hex(value)
  return typeof value === 'string' ? databaseText(value) : value
}
