import { defineEntity, p } from '@mikro-orm/core'
import type { HistoryEventType } from '../../domain/history-events.ts'
import { key, timestamp } from './columns.ts'
import { LedgerEvent } from './ledger-event.ts'

const AgentHistoryEntrySchema = defineEntity({
  name: 'AgentHistoryEntry',
  tableName: 'agent_history',
  properties: {
    event: () => p.manyToOne(LedgerEvent).ref().createForeignKeyConstraint(false).primary(),
    position: key(),
    agentPda: key(),
    eventType: p.text().$type<HistoryEventType>(),
    oldValue: p.text(),
    newValue: p.text(),
    delta: p.text().nullable(),
    occurredAt: timestamp(),
  },
  indexes: [
    {
      name: 'agent_history_by_agent',
      expression: 'create index agent_history_by_agent on agent_history (agent_pda, position desc)',
    },
    {
      name: 'agent_history_by_type',
      expression:
        'create index agent_history_by_type on agent_history (agent_pda, event_type, position desc)',
    },
  ],
})

/** One line of an agent's history. */
export class AgentHistoryEntry extends AgentHistoryEntrySchema.class {}

AgentHistoryEntrySchema.setClass(AgentHistoryEntry)
