import { defineEntity, p } from '@mikro-orm/core'
import { key, timestamp } from './columns.ts'

const AgentCardHostSchema = defineEntity({
  name: 'AgentCardHost',
  tableName: 'agent_card_hosts',
  properties: {
    host: key().primary(),
    failures: p.integer(),
    retryAt: timestamp(),
  },
})

/** A host of agent cards that could not be reached, and is left alone for a while. */
export class AgentCardHost extends AgentCardHostSchema.class {}

AgentCardHostSchema.setClass(AgentCardHost)
