import type { Kysely } from 'kysely'
import { CopyData, copyIn } from '../../../db/copy-in.ts'
import { copyText } from '../../../db/copy-text.ts'
import type { Database } from '../../../db/database.ts'
import { EVENTS_CHANNEL } from '../../../domain/webhook-events.ts'
import type { DecodedTransactions } from '../../decode/rows.ts'

const TRANSACTION = ['signature', 'slot', 'transaction_index', 'accounts', 'finality'] as const
const EVENT = [
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
] as const
const HISTORY = [
  'event_id',
  'position',
  'agent_pda',
  'event_type',
  'old_value',
  'new_value',
  'delta',
  'occurred_at',
] as const
const OUTBOX = ['id', 'event_id', 'type', 'agent_pda', 'slot', 'body', 'occurred_at'] as const

const TABLES = Object.entries({
  ledger_transactions: TRANSACTION,
  ledger_events: EVENT,
  agent_history: HISTORY,
  outbox_events: OUTBOX,
})
const STATEMENTS = TABLES.map(([table, columns]) => `copy ${table} (${columns.join(', ')}) from stdin`).join(
  '; ',
)

/** Rows ready to be copied in, in pieces, by table in the order of the statements. */
export type CopiedRows = readonly (readonly Buffer[])[]

/** Made apart from writing, so that the database does not wait for it. */
export function copiedRows({ transactions, events, history, outbox }: DecodedTransactions): CopiedRows {
  // Finalized transactions need not tell their accounts any more.
  const settled = transactions.map((row) => (row.finality === 'finalized' ? { ...row, accounts: [] } : row))
  return [
    [copyText(settled, TRANSACTION)],
    [copyText(events, EVENT)],
    [copyText(history, HISTORY)],
    [copyText(outbox, OUTBOX)],
  ]
}

/** Null where one of them is. */
export function joinCopied(parts: readonly (CopiedRows | null)[]): CopiedRows | null {
  const known = parts.filter((part) => part !== null)
  if (known.length < parts.length) return null
  return TABLES.map((_, table) => known.flatMap((part) => part[table] ?? []))
}

/** Half the work of merging rows. Fails where the tables hold any of them. Then live streams are told, if there is anything for them. */
export const writeCopied = (db: Kysely<Database>, rows: CopiedRows, hasMessages: boolean): Promise<void> =>
  copyIn(db, hasMessages ? `${STATEMENTS}; notify ${EVENTS_CHANNEL}` : STATEMENTS, new CopyData(rows))

/** What the tables held already, or the listing showed twice. */
export const isHeldAlready = (error: unknown): boolean =>
  (error as { code?: unknown } | null)?.code === UNIQUE_VIOLATION

const UNIQUE_VIOLATION = '23505'
