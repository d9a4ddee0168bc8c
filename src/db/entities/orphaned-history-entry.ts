import { defineEntity, p } from '@mikro-orm/core'
import type { HistoryEventType } from '../../domain/history-events.ts'
import { key, timestamp } from './columns.ts'

const OrphanedHistoryEntrySchema = defineEntity({
  name: 'OrphanedHistoryEntry',
  tableName: 'orphaned_history',
  properties: {
    eventId: key().primary(),
    position: key(),
    agentPda: key(),
    eventType: p.text().$type<HistoryEventType>(),
    oldValue: p.text(),
    newValue: p.text(),
    delta: p.text().nullable(),
    occurredAt: timestamp(),
    orphanedAt: timestamp().defaultRaw('now()'),
  },
  indexes: [
    {
      name: 'orphaned_history_by_agent',
      expression: 'create index orphaned_history_by_agent on orphaned_history (agent_pda, position desc)',
    },
  ],
})

/** A line of an agent's history that a fork took back. */
export class OrphanedHistoryEntry extends OrphanedHistoryEntrySchema.class {}

OrphanedHistoryEntrySchema.setClass(OrphanedHistoryEntry)
