import { sql } from 'kysely'
import type { Database } from '../db/tables.ts'
import { listBacklog } from '../ledger/indexer/backlog.ts'
import type { DeadLetterRow, DecodedTransactions, SignatureInfo } from '../ledger/indexer/batch.ts'
import { fetchTransactions } from '../ledger/indexer/fetch-transactions.ts'
import { type AuditContext, type Difference } from './audit.ts'
import { compareRow } from './accounts.ts'

/** Every successful transaction of the program that the ledger lists or a table holds as valid. */
export async function listTransactions(context: AuditContext): Promise<Map<string, SignatureInfo>> {
  const { programId, commitment, orm, rpc } = context
  const backlog = await listBacklog(rpc, { programId, commitment, until: null, minSlot: 0 })
  const infos = new Map<string, SignatureInfo>()
  for await (const page of backlog.oldestFirst())
    for (const info of page) if (info.err === null) infos.set(info.signature, info)
  const { rows } = await sql<{ signature: string }>`
    select signature from ledger_transactions where finality <> 'orphaned'
    union select signature from ledger_events where finality <> 'orphaned'`.execute(
    orm.em.fork().getKysely<Database>(),
  )
  for (const { signature } of rows)
    if (!infos.has(signature)) infos.set(signature, { signature, slot: 0, err: null })
  return infos
}

/** What reading the ledger again brought, by signature and by letter. */
export interface Tally {
  events: Map<string, number>
  unreadable: Map<string, Pick<DeadLetterRow, 'kind' | 'signature' | 'reason'>>
}

export const newTally = (): Tally => ({ events: new Map(), unreadable: new Map() })

/** Reads the transactions again and compares what they mean with what the tables hold. */
export async function compareTransactions(
  context: AuditContext,
  listed: ReadonlyMap<string, SignatureInfo>,
  signatures: readonly string[],
  tally: Tally,
): Promise<Map<string, Difference[]>> {
  const differing = new Map<string, Difference[]>()
  for (let at = 0; at < signatures.length; at += context.batchSize) {
    const chunk = signatures.slice(at, at + context.batchSize)
    const infos = chunk.map((signature) => listed.get(signature) ?? { signature, slot: 0, err: null })
    const decoded = await fetchTransactions(context.rpc, infos, context)
    for (const signature of chunk) tally.events.set(signature, 0)
    for (const { signature } of decoded.events)
      tally.events.set(signature, (tally.events.get(signature) ?? 0) + 1)
    for (const { id, kind, signature, reason } of decoded.deadLetters)
      tally.unreadable.set(id, { kind, signature, reason })
    for (const check of CHECKS) {
      const stored = await check.stored(context, chunk)
      const expected = new Map(check.expected(decoded).map((row) => [row.key, row]))
      for (const key of new Set([...stored.keys(), ...expected.keys()])) {
        const [inLedger, inTable] = [expected.get(key), stored.get(key)]
        const signature = inLedger?.signature ?? inTable?.signature ?? ''
        const found = compareRow(check.table, key, check.fields, inLedger?.row, inTable?.row)
        if (found.length > 0) differing.set(signature, [...(differing.get(signature) ?? []), ...found])
      }
    }
    context.onProgress?.({ stage: 'transactions', done: at + chunk.length, total: signatures.length })
  }
  return differing
}

interface Keyed {
  key: string
  signature: string
  row: Record<string, unknown>
}

interface Check {
  table: string
  fields: string[]
  expected: (decoded: DecodedTransactions) => Keyed[]
  stored: (context: AuditContext, signatures: readonly string[]) => Promise<Map<string, Keyed>>
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

const CHECKS: Check[] = [
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
    stored: (context, signatures) =>
      query(
        context,
        sql`select h.event_id as key, e.signature, h.* from agent_history h
          join ledger_events e on e.id = h.event_id where e.signature = any(${signatures})`,
      ),
  },
  {
    table: 'outbox_events',
    fields: ['type', 'agent_pda'],
    expected: ({ outbox, events }) => {
      const signatures = new Map(events.map((event) => [event.id, event.signature]))
      return outbox.map((row) => ({
        key: row.id,
        signature: signatures.get(row.event_id) ?? '',
        row: { ...row },
      }))
    },
    stored: (context, signatures) =>
      query(
        context,
        sql`select o.id as key, e.signature, o.* from outbox_events o
          join ledger_events e on e.id = o.event_id
          where e.signature = any(${signatures}) and e.finality <> 'orphaned' and o.cancelled_at is null`,
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
  const { rows } = await statement.execute(orm.em.fork().getKysely<Database>())
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
