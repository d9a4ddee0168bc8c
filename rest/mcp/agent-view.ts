import type { output } from 'zod'
import type { AgentRow } from '../../src/agents/agent-row.ts'
import { ownerDid } from '../../src/domain/did.ts'
import type { agent } from './shapes.ts'

export type AgentView = output<typeof agent>

/** The fields of an agent that tools return. Rows can have more, which output schemas refuse. */
export function agentView(row: AgentRow): AgentView {
  return {
    pda: row.pda,
    owner: row.owner,
    did: ownerDid(row.owner),
    name: row.name,
    tier: row.tier,
    status: row.status,
    serviceCategory: row.serviceCategory,
    reputationScore: row.reputationScore,
    capabilities: row.capabilities,
    version: row.version,
    agentCardUrl: row.agentCardUrl,
    cardHashMismatch: row.cardHashMismatch,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}
