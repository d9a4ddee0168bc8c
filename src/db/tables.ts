import type { ColumnType, Generated } from 'kysely'
import type { TransactionFailure, TransactionStatus } from '../domain/transaction-status.ts'
import type { AgentStatus, HistoryEventType, ServiceCategory, Tier } from '../domain/registry.ts'

/** timestamptz: read as ISO 8601 text in UTC with milliseconds, written as such text or a Date. */
export type Timestamp = ColumnType<string, string | Date, string | Date>
/** numeric(20,0), for u64: read as decimal text. */
export type U64 = ColumnType<string, string | bigint, string | bigint>

export type Finality = 'confirmed' | 'finalized' | 'orphaned'

export interface AgentsTable {
  pda: string
  owner: string
  name: string
  tier: Tier
  status: AgentStatus
  service_category: ServiceCategory
  reputation_score: number
  capabilities: U64
  version: string
  agent_card_url: string
  /** Lower-case hex of 32 bytes. */
  agent_card_hash: string
  card_hash_mismatch: Generated<boolean>
  suspended_by_admin: boolean
  reputation_change_today: number
  reputation_day_start: Timestamp
  reputation_updated_at: Timestamp
  tier_effective_at: Timestamp
  rent_payer: string
  bump: number
  created_at: Timestamp
  updated_at: Timestamp
  slot: number
}

export interface AgentCountsTable {
  tier: Tier
  status: AgentStatus
  service_category: ServiceCategory
  card_hash_mismatch: boolean
  count: number
}

export interface AgentCardChecksTable {
  agent_pda: string
  card_hash_mismatch: boolean
  checked_at: Timestamp
}

/** Amounts in USDC base units. */
export interface StakesTable {
  pda: string
  agent_pda: string
  owner: string
  deposited_amount: U64
  locked_amount: U64
  pending_withdrawal: U64
  rent_payer: string
  bump: number
  slot: number
}

export interface RegistryConfigTable {
  pda: string
  admin: string
  usdc_mint: string
  treasury: string
  /** USDC base units for observer, basic, standard and premium, as decimal text. */
  tier_thresholds: string[]
  cooldown_seconds: number
  paused: boolean
  bump: number
  slot: number
}

export interface WithdrawalRequestsTable {
  pda: string
  stake_pda: string
  amount: U64
  requested_at: Timestamp
  bump: number
  slot: number
}

export interface ReputationReportersTable {
  pda: string
  authority: string
  registered_by: string
  label: string
  weight: number
  total_reports: U64
  active: boolean
  bump: number
  slot: number
}

export interface DeactivationRecordsTable {
  pda: string
  owner: string
  deactivated_at: Timestamp
  final_reputation: number
  bump: number
  slot: number
}

export interface ClosedAccountsTable {
  pda: string
  slot: number
}

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
}

export interface DeadLettersTable {
  id: string
  kind: string
  signature: string | null
  pda: string | null
  slot: number
  reason: string
  /** base64 of what could not be read, where there is any. */
  data: string | null
  created_at: Generated<Timestamp>
}

export interface IndexerStateTable {
  id: Generated<number>
  program_id: string
  genesis_hash: string
  leader_epoch: Generated<number>
  cursor_slot: Generated<number>
  cursor_signature: string | null
  finalized_slot: Generated<number>
  finalized_signature: string | null
  updated_at: Generated<Timestamp>
}

/** A transaction that the relay prepared. Bytes are base64. */
export interface PreparedTransactionsTable {
  id: string
  status: TransactionStatus
  /** The message as prepared. */
  message: string
  last_valid_block_height: number
  /** The transaction as submitted, with all signatures; written before it is sent, and never changed. */
  signed_tx: string | null
  /** Base-58. */
  signature: string | null
  sent_at: Timestamp | null
  /** Whether a node has taken it. */
  accepted: Generated<boolean>
  /** Where it landed, as far as the ledger says now. */
  slot: number | null
  /** Once it was seen on the ledger, whatever became of it. */
  landed: Generated<boolean>
  /** How often in a row it was looked for in vain where it had been seen, or after it expired. */
  misses: Generated<number>
  error: ColumnType<TransactionFailure | null, string | null, string | null>
  sponsored: Generated<boolean>
  /** Nothing can change any more. */
  settled: Generated<boolean>
  /** Grows with each write, so that who read an older row writes nothing. */
  version: Generated<number>
  /** When somebody should look at it; in the future also while somebody does. */
  next_check_at: Timestamp
  created_at: Timestamp
}

/** Row types for `em.getKysely<Database>()`. int8 is read as a number, numeric as text. */
export interface Database {
  agents: AgentsTable
  agent_counts: AgentCountsTable
  agent_card_checks: AgentCardChecksTable
  stakes: StakesTable
  registry_config: RegistryConfigTable
  withdrawal_requests: WithdrawalRequestsTable
  reputation_reporters: ReputationReportersTable
  deactivation_records: DeactivationRecordsTable
  closed_accounts: ClosedAccountsTable
  ledger_transactions: LedgerTransactionsTable
  ledger_events: LedgerEventsTable
  agent_history: AgentHistoryTable
  outbox_events: OutboxEventsTable
  dead_letters: DeadLettersTable
  indexer_state: IndexerStateTable
  prepared_transactions: PreparedTransactionsTable
}
