import type { StateRow } from './projections.ts'

/** One entry of `getSignaturesForAddress`. */
export interface SignatureInfo {
  signature: string
  slot: number
  err: unknown
  confirmationStatus?: 'processed' | 'confirmed' | 'finalized' | null
  transactionIndex?: number
}

export interface TransactionRow {
  signature: string
  slot: number
  transaction_index: number
  accounts: string[]
  finality: 'confirmed' | 'finalized'
}

export interface EventRow {
  id: string
  position: string
  signature: string
  slot: number
  name: string
  agent_pda: string
  owner: string
  /** JSON text. */
  data: string
  finality: 'confirmed' | 'finalized'
  occurred_at: string
}

export interface HistoryRow {
  event_id: string
  position: string
  agent_pda: string
  event_type: string
  old_value: string
  new_value: string
  delta: string | null
  occurred_at: string
}

export interface OutboxRow {
  id: string
  event_id: string
  type: string
  agent_pda: string
  slot: number
  body: string
  occurred_at: string
}

export interface DeadLetterRow {
  id: string
  kind:
    | 'missing_history'
    | 'missing_transaction'
    | 'unreadable_transaction'
    | 'truncated_logs'
    | 'inconsistent_logs'
    | 'unknown_event'
    | 'undecodable_event'
    | 'unknown_account'
    | 'undecodable_account'
  signature: string | null
  pda: string | null
  slot: number
  reason: string
  data: string | null
}

/** Letters of transactions of which not even the accounts are known. */
export const LETTERS_OF_WHOLE_TRANSACTIONS: readonly string[] = [
  'missing_transaction',
  'unreadable_transaction',
]

/** What some transactions mean to the tables, before the accounts are read. */
export interface DecodedTransactions {
  transactions: TransactionRow[]
  events: EventRow[]
  history: HistoryRow[]
  outbox: OutboxRow[]
  deadLetters: DeadLetterRow[]
}

/** Accounts as they stood at one slot. */
export interface AccountStates {
  slot: number
  /** By table. */
  rows: Map<string, StateRecord[]>
  closed: { pda: string; slot: number }[]
  deadLetters: DeadLetterRow[]
}

export type StateRecord = StateRow & { pda: string; slot: number }

/** Every account that was read, also those that could not be decoded. */
export function pdasOf({ rows, closed, deadLetters }: AccountStates): string[] {
  const found = [...rows.values()].flatMap((each) => each.map(({ pda }) => pda))
  return [...found, ...closed.map(({ pda }) => pda), ...deadLetters.flatMap(({ pda }) => pda ?? [])]
}
