import { defineEntity, p } from '@mikro-orm/core'
import { key, timestamp } from './columns.ts'

const AgentCardCheckSchema = defineEntity({
  name: 'AgentCardCheck',
  tableName: 'agent_card_checks',
  properties: {
    agentPda: key().primary(),
    cardHashMismatch: p.boolean(),
    checkedAt: timestamp(),
  },
})

/** The last verdict on an agent's hosted card. */
export class AgentCardCheck extends AgentCardCheckSchema.class {}

AgentCardCheckSchema.setClass(AgentCardCheck)
