import { defineEntity, p } from '@mikro-orm/core'
import type { AgentStatus, ServiceCategory, Tier } from '@agent-registry/program'
import { key, timestamp, u64 } from './columns.ts'

const AgentSchema = defineEntity({
  name: 'Agent',
  tableName: 'agents',
  properties: {
    pda: key().primary(),
    owner: key(),
    name: p.text(),
    tier: p.text().$type<Tier>(),
    status: p.text().$type<AgentStatus>(),
    serviceCategory: p.text().$type<ServiceCategory>(),
    reputationScore: p.integer(),
    capabilities: u64(),
    version: p.text(),
    agentCardUrl: p.text(),
    agentCardHash: p.text(),
    cardHashMismatch: p.boolean().default(false),
    suspendedByAdmin: p.boolean(),
    reputationChangeToday: p.integer(),
    reputationDayStart: timestamp(),
    reputationUpdatedAt: timestamp(),
    tierEffectiveAt: timestamp(),
    rentPayer: key(),
    bump: p.smallint(),
    createdAt: timestamp(),
    updatedAt: timestamp(),
    slot: p.bigint('number'),
  },
  indexes: [
    { name: 'agents_owner', properties: ['owner'] },
    {
      name: 'agents_name_trgm',
      expression: 'create index agents_name_trgm on agents using gin (name gin_trgm_ops)',
    },
    {
      name: 'agents_by_created_at',
      expression:
        'create index agents_by_created_at on agents (created_at desc, pda) include (tier, status, service_category, card_hash_mismatch, reputation_score)',
    },
    {
      name: 'agents_by_reputation',
      expression:
        'create index agents_by_reputation on agents (reputation_score desc, pda) include (tier, status, service_category, card_hash_mismatch)',
    },
    {
      name: 'agents_by_reputation_rising',
      expression:
        'create index agents_by_reputation_rising on agents (reputation_score, pda) include (tier, status, service_category, card_hash_mismatch)',
    },
    {
      name: 'agents_by_name',
      expression:
        'create index agents_by_name on agents (name collate "C", pda) include (tier, status, service_category, card_hash_mismatch, reputation_score)',
    },
  ],
})

/** One registered agent, as its account says. */
export class Agent extends AgentSchema.class {}

AgentSchema.setClass(Agent)
