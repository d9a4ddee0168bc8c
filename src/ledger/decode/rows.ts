import { UnderscoreNamingStrategy } from '@mikro-orm/postgresql'
import type { Selectable } from 'kysely'
import type { Database } from '../../db/database.ts'
import {
  AgentHistoryEntry,
  DeadLetter,
  LedgerEvent,
  LedgerTransaction,
  OutboxEvent,
} from '../../db/entities/ledger-events.ts'
import type { DeadLetterKind } from '../../domain/dead-letters.ts'

const ENTITIES = {
  ledger_transactions: LedgerTransaction,
  ledger_events: LedgerEvent,
  agent_history: AgentHistoryEntry,
  outbox_events: OutboxEvent,
  dead_letters: DeadLetter,
}
/** Columns that PostgreSQL fills, or that only a fork or an operator sets. */
const NOT_INSERTED = [
  'sequence',
  'created_at',
  'cancelled_at',
  'restored_sequence',
  'retry_requested_at',
] as const

export type IndexedTable = keyof typeof ENTITIES
export type IndexedRow<Table extends IndexedTable> = Omit<
  Selectable<Database[Table]>,
  (typeof NOT_INSERTED)[number]
>
export type DeadLetterRow = IndexedRow<'dead_letters'>

/** The rows that transactions add, by table. */
export type IndexedRows = { [Table in IndexedTable]: IndexedRow<Table>[] }

const naming = new UnderscoreNamingStrategy()
const notInserted = new Set<string>(NOT_INSERTED)

/** The columns of indexed rows. The first one is the key. */
export const INDEXED_COLUMNS = Object.fromEntries(
  Object.entries(ENTITIES).map(([table, { properties }]) => {
    const columns = Object.keys(properties).map((name) => naming.propertyToColumnName(name))
    return [table, columns.filter((column) => !notInserted.has(column))]
  }),
) as Record<IndexedTable, [key: string, ...others: string[]]>

export const emptyRows = (): IndexedRows => joinRows([])

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

/** Dead letters of transactions whose accounts are unknown. */
export const UNREAD_TRANSACTION_KINDS: readonly DeadLetterKind[] = [
  'missing_transaction',
  'unreadable_transaction',
]

/** The key makes the id unique among the dead letters of a kind. */
export function deadLetter(
  kind: DeadLetterKind,
  key: string,
  row: Pick<DeadLetterRow, 'slot' | 'reason'> & Partial<DeadLetterRow>,
): DeadLetterRow {
  return { id: `${kind}/${key}`, kind, signature: null, pda: null, data: null, ...row }
}
