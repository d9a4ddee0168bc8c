import type { Selectable } from 'kysely'
import type { DeadLetterKind } from '../../domain/dead-letters.ts'
import type { Database } from '../../db/database.ts'

/** The columns that the indexer fills from transactions. The first one is the key. */
export const INDEXED_COLUMNS = {
  ledger_transactions: ['signature', 'slot', 'transaction_index', 'accounts', 'finality'],
  ledger_events: [
    'id',
    'position',
    'signature',
    'slot',
    'name',
    'agent_pda',
    'owner',
    'data',
    'finality',
    'occurred_at',
  ],
  agent_history: [
    'event_id',
    'position',
    'agent_pda',
    'event_type',
    'old_value',
    'new_value',
    'delta',
    'occurred_at',
  ],
  outbox_events: ['id', 'event_id', 'type', 'agent_pda', 'slot', 'body', 'occurred_at'],
  dead_letters: ['id', 'kind', 'signature', 'pda', 'slot', 'reason', 'data'],
} as const satisfies { [Table in keyof Database]?: readonly (keyof Database[Table])[] }

export type IndexedTable = keyof typeof INDEXED_COLUMNS
export type IndexedRow<Table extends IndexedTable> = Pick<
  Selectable<Database[Table]>,
  (typeof INDEXED_COLUMNS)[Table][number] & keyof Selectable<Database[Table]>
>
export type DeadLetterRow = IndexedRow<'dead_letters'>

/** The rows that transactions add, by table. */
export type IndexedRows = { [Table in IndexedTable]: IndexedRow<Table>[] }

export const emptyRows = (): IndexedRows => ({
  ledger_transactions: [],
  ledger_events: [],
  agent_history: [],
  outbox_events: [],
  dead_letters: [],
})

/** Dead letters of transactions whose accounts are unknown. */
export const UNREAD_TRANSACTION_KINDS: readonly DeadLetterKind[] = [
  'missing_transaction',
  'unreadable_transaction',
]

/** The accounts of a final transaction are not stored: only undoing a transaction needs them. */
export const withoutFinalAccounts = (rows: IndexedRow<'ledger_transactions'>[]) =>
  rows.map((row) => (row.finality === 'finalized' ? { ...row, accounts: [] } : row))

/** Removes duplicates: a listing may contain a transaction twice, a statement must not. */
export function joinRows(parts: readonly IndexedRows[]): IndexedRows {
  const tables = Object.entries(INDEXED_COLUMNS).map(([table, [key]]) => {
    const rows = parts.flatMap<Record<string, unknown>>((part) => part[table as IndexedTable])
    return [table, [...new Map(rows.map((row) => [row[key], row])).values()]]
  })
  return Object.fromEntries(tables) as IndexedRows
}
