import type { AgentMetadata } from '@agent-registry/program'
import { hex, storable } from './values.ts'

export interface MetadataChange {
  /** In camelCase, as in webhook bodies. */
  field: keyof AgentMetadata
  /** As in the Agent resource. */
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
const FIELDS = Object.keys(COLUMNS) as (keyof AgentMetadata)[]

/** The metadata fields whose values differ. */
export function metadataChanges(before: AgentMetadata, after: AgentMetadata): MetadataChange[] {
  return FIELDS.map((field) => ({
    field,
    column: COLUMNS[field],
    old: plainValue(before[field]),
    new: plainValue(after[field]),
  })).filter((change) => change.old !== change.new)
}

function plainValue(value: AgentMetadata[keyof AgentMetadata]): string | bigint {
  if (value instanceof Uint8Array) return hex(value)
  return typeof value === 'string' ? storable(value) : value
}
