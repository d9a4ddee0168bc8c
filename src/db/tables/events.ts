import type { ColumnType, Generated } from 'kysely'
import type { HistoryEventType } from '../../domain/history-events.ts'
import type { Finality, Timestamp } from './columns.ts'

export interface LedgerTransactionsTable {
  signature: string
  slot: number
  transaction_index: number
  /** The registry accounts that it wrote: what to read again should a fork take it back. Emptied once finalized. */
  accounts: string[]
  finality: Generated<Finality>
}

export interface LedgerEventsTable {
  id: string
  position: string
  signature: string
  slot: number
  name: string
  agent_pda: string
  owner: string
  /** The event's fields in camelCase; u64 and i64 as decimal text, bytes as hex. */
  data: ColumnType<unknown, string, string>
  finality: Generated<Finality>
  occurred_at: Timestamp
}

export interface AgentHistoryTable {
  event_id: string
  position: string
  agent_pda: string
  event_type: HistoryEventType
  old_value: string
  new_value: string
  delta: string | null
  occurred_at: Timestamp
}

/** As in agent_history, from which a fork took it. */
export interface OrphanedHistoryTable extends AgentHistoryTable {
  orphaned_at: Generated<Timestamp>
}

export interface OutboxEventsTable {
  /** Grows in the order of commit, since one indexer writes at a time. */
  sequence: Generated<number>
  id: string
  event_id: string
  type: string
  agent_pda: string
  slot: number
  /** The exact bytes to sign and send. */
  body: string
  occurred_at: Timestamp
  created_at: Generated<Timestamp>
  /** Set when a fork took the event back. */
  cancelled_at: Timestamp | null
  /** Where it stands since the ledger brought it again; of the same sequence. */
  restored_sequence: number | null
}

export interface DeadLettersTable {
  id: string
  kind: string
  signature: string | null
  pda: string | null
  slot: number
  reason: string
  /** base64 of what could not be read, where there is any; of `missing_history` the signature above the gap. */
  data: string | null
  created_at: Generated<Timestamp>
}

export interface IndexerStateTable {
  id: Generated<number>
  program_id: string
  genesis_hash: string
  leader_epoch: Generated<number>
  /** Of all leaders. */
  commits: Generated<number>
  cursor_slot: Generated<number>
  cursor_signature: string | null
  finalized_slot: Generated<number>
  finalized_signature: string | null
  updated_at: Generated<Timestamp>
}
