import type { AgentMetadata } from '@agent-registry/program'
import { hex, storable } from './values.ts'

export interface MetadataChange {
  /** In camelCase, as webhook receivers see it. */
  field: keyof AgentMetadata
  /** As the Agent resource has it. */
  column: string
  old: string | bigint
  new: string | bigint
}

const COLUMNS: Record<keyof AgentMetadata, string> = {
  name: 'name',
  serviceCategory: 'service_category',
  capabilities: 'capabilities',
  version: 'version',
  agentCardUrl: 'agent_card_url',
  agentCardHash: 'agent_card_hash',
}

/** The metadata fields whose value differs. */
export function metadataChanges(before: AgentMetadata, after: AgentMetadata): MetadataChange[] {
  return (Object.keys(COLUMNS) as (keyof AgentMetadata)[])
    .map((field) => ({
      field,
      column: COLUMNS[field],
      old: plain(before[field]),
      new: plain(after[field]),
    }))
    .filter((change) => change.old !== change.new)
}

function plain(value: AgentMetadata[keyof AgentMetadata]): string | bigint {
  if (value instanceof Uint8Array) return hex(value)
  return typeof value === 'string' ? storable(value) : value
}
