import { sql } from 'kysely'
import type { DecodedTransactions } from '../decode/rows.ts'
import type { AuditContext } from './options.ts'

interface Keyed {
  key: string
  signature: string
  row: Record<string, unknown>
}

/** How one table follows from transactions. */
export interface Check {
  table: string
  fields: string[]
  expected: (decoded: DecodedTransactions) => Keyed[]
  stored: (
    context: AuditContext,
    signatures: readonly string[],
    decoded: DecodedTransactions,
  ) => Promise<Map<string, Keyed>>
}

const EVENT_FIELDS = ['position', 'slot', 'name', 'agent_pda', 'owner', 'data', 'occurred_at']
const HISTORY_FIELDS = [
  'position',
  'agent_pda',
  'event_type',
  'old_value',
  'new_value',
  'delta',
  'occurred_at',
]

export const CHECKS: readonly Check[] = [
  {
    table: 'ledger_transactions',
    fields: ['slot', 'transaction_index'],
    expected: ({ transactions }) =>
      transactions.map((row) => ({ key: row.signature, signature: row.signature, row: { ...row } })),
    stored: (context, signatures) =>
      query(
        context,
        sql`select signature as key, * from ledger_transactions
          where signature = any(${signatures}) and finality <> 'orphaned'`,
      ),
  },
  {
    table: 'ledger_events',
    fields: EVENT_FIELDS,
    expected: ({ events }) =>
      events.map((row) => ({
        key: row.id,
        signature: row.signature,
        row: { ...row, data: sortedJson(JSON.parse(row.data)) },
      })),
    stored: async (context, signatures) => {
      const rows = await query(
        context,
        sql`select id as key, * from ledger_events
          where signature = any(${signatures}) and finality <> 'orphaned'`,
      )
      for (const { row } of rows.values()) row.data = sortedJson(row.data)
      return rows
    },
  },
  {
    table: 'agent_history',
    fields: HISTORY_FIELDS,
    expected: ({ history, events }) => {
      const signatures = new Map(events.map((event) => [event.id, event.signature]))
      return history.map((row) => ({
        key: row.event_id,
        signature: signatures.get(row.event_id) ?? '',
        row: { ...row },
      }))
    },
    // By the ids of events, here and below: what follows from an event stays when the event's own row is lost.
    stored: (context, signatures, { events }) =>
      query(
        context,
        sql`select h.event_id as key, e.signature, h.* from agent_history h
          left join ledger_events e on e.id = h.event_id
          where h.event_id = any(${events.map((event) => event.id)}::text[] || array(
            select id from ledger_events where signature = any(${signatures})))`,
      ),
  },
  {
    table: 'outbox_events',
    fields: ['type', 'agent_pda', 'slot', 'body', 'occurred_at'],
    expected: ({ outbox, events }) => {
      const signatures = new Map(events.map((event) => [event.id, event.signature]))
      return outbox.map((row) => ({
        key: row.id,
        signature: signatures.get(row.event_id) ?? '',
        row: { ...row },
      }))
    },
    stored: (context, signatures, { events }) =>
      query(
        context,
        sql`select o.id as key, e.signature, o.* from outbox_events o
          left join ledger_events e on e.id = o.event_id
          where o.cancelled_at is null and o.event_id = any(${events.map((event) => event.id)}::text[] || array(
            select id from ledger_events where signature = any(${signatures}) and finality <> 'orphaned'))`,
      ),
  },
  {
    table: 'dead_letters',
    fields: ['kind', 'data'],
    expected: ({ deadLetters }) =>
      deadLetters.map((row) => ({ key: row.id, signature: row.signature ?? '', row: { ...row } })),
    stored: (context, signatures) =>
      query(context, sql`select id as key, * from dead_letters where signature = any(${signatures})`),
  },
]

async function query(
  { orm }: AuditContext,
  statement: ReturnType<typeof sql<Record<string, unknown>>>,
): Promise<Map<string, Keyed>> {
  const { rows } = await statement.execute(orm.em.fork().getKysely())
  return new Map(
    rows.map((row) => [
      row.key as string,
      { key: row.key as string, signature: row.signature as string, row },
    ]),
  )
}

/** jsonb does not keep the order of keys. */
function sortedJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedJson)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, sortedJson(each)]),
  )
}
