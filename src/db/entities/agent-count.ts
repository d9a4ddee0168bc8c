import { defineEntity, p } from '@mikro-orm/core'
import type { AgentStatus, ServiceCategory, Tier } from '@agent-registry/program'
const AgentCountSchema = defineEntity({
  name: 'AgentCount',
  tableName: 'agent_counts',
  properties: {
    tier: p.text().$type<Tier>().primary(),
    status: p.text().$type<AgentStatus>().primary(),
    serviceCategory: p.text().$type<ServiceCategory>().primary(),
    cardHashMismatch: p.boolean().primary(),
    count: p.bigint('number'),
  },
})

/** Exact number of agents by filter, kept by triggers. */
export class AgentCount extends AgentCountSchema.class {}

AgentCountSchema.setClass(AgentCount)
