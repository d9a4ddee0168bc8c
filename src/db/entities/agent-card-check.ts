import { defineEntity, p } from '@mikro-orm/core'
import { key, timestamp } from './columns.ts'
import type { CardContent, CardSignature, CardMatch, CardState } from '../../domain/agent-card.ts'

const AgentCardCheckSchema = defineEntity({
  name: 'AgentCardCheck',
  tableName: 'agent_card_checks',
  properties: {
    agentPda: key().primary(),
    cardHashMismatch: p.boolean(),
    checkedAt: timestamp().nullable(),
    url: p.text().default(''),
    hash: key().default(''),
    host: key().default(''),
    state: p.text().$type<CardState>().default('unchecked'),
    reason: p.text().nullable(),
    matchedBy: p.text().$type<CardMatch>().nullable(),
    signature: p.text().$type<CardSignature>().nullable(),
    content: p.json<CardContent>().nullable(),
    failures: p.integer().default(0),
    nextCheckAt: timestamp().defaultRaw('now()'),
    leaseToken: key().nullable(),
  },
  indexes: [
    { name: 'agent_card_checks_due', properties: ['nextCheckAt'] },
    { name: 'agent_card_checks_host', properties: ['host'] },
  ],
})

/** The last look at an agent's hosted card, the last verdict on it, and when to look again. */
export class AgentCardCheck extends AgentCardCheckSchema.class {}

AgentCardCheckSchema.setClass(AgentCardCheck)
