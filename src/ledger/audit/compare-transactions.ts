import { type RawBuilder, sql } from 'kysely'
import { INDEXED_COLUMNS, type IndexedTable } from '../decode/rows.ts'
import type { SignatureInfo } from '../decode/rpc-transaction.ts'
import { fetchTransactions } from '../indexer/fetch/fetch-transactions.ts'
import type { SignatureListing } from '../indexer/fetch/signature-listing.ts'
import { compareRow, FindingsByKey } from './findings.ts'
import type { ListedSignatures } from './listed-signatures.ts'
import type { AuditContext } from './options.ts'

interface StoredRow extends Record<string, unknown> {
  signature: string
}

/** How to compare one table with the rows that transactions should have. */
interface Check {
  table: IndexedTable
  ignoredColumns: readonly string[]
  /** The stored rows of these transactions. `eventIds` are those of the decoded events. */
  stored: (signatures: readonly string[], eventIds: readonly string[]) => RawBuilder<StoredRow>
}

// History and outbox are loaded by event id, because they remain when the event's own row is lost.
const CHECKS: readonly Check[] = [
  {
    table: 'ledger_transactions',
    ignoredColumns: ['accounts', 'finality'],
    stored: (signatures) => sql`
      select * from ledger_transactions where signature = any(${signatures}) and finality <> 'orphaned'`,
  },
  {
    table: 'ledger_events',
    ignoredColumns: ['finality'],
    stored: (signatures) => sql`
      select * from ledger_events where signature = any(${signatures}) and finality <> 'orphaned'`,
  },
  {
    table: 'agent_history',
    ignoredColumns: [],
    stored: (signatures, eventIds) => sql`
      select e.signature, h.* from agent_history h left join ledger_events e on e.id = h.event_id
      where h.event_id = any(${eventIds}::text[] || array(
        select id from ledger_events where signature = any(${signatures})))`,
  },
  {
    table: 'outbox_events',
    ignoredColumns: [],
    stored: (signatures, eventIds) => sql`
      select e.signature, o.* from outbox_events o left join ledger_events e on e.id = o.event_id
      where o.cancelled_at is null and o.event_id = any(${eventIds}::text[] || array(
        select id from ledger_events where signature = any(${signatures}) and finality <> 'orphaned'))`,
  },
  {
    table: 'dead_letters',
    ignoredColumns: ['slot', 'reason'],
    stored: (signatures) => sql`select * from dead_letters where signature = any(${signatures})`,
  },
]

/**
 * Every successful transaction once: those that the ledger lists, then those only in the tables.
 */
export async function* everyTransaction(
  listing: SignatureListing,
  listed: ListedSignatures,
): AsyncGenerator<SignatureInfo[]> {
  let previous = new Set<string>()
  for await (const page of listing.oldestFirst()) {
    const infos = new Map(page.filter(({ err }) => err === null).map((info) => [info.signature, info]))
    const signatures = new Set(infos.keys())
    // A listing may repeat a signature where two pages meet.
    for (const signature of previous) infos.delete(signature)
    previous = signatures
    await listed.add([...infos.keys()])
    yield [...infos.values()]
  }
  for await (const signatures of listed.unlisted())
    yield signatures.map((signature) => ({ signature, slot: 0, err: null }))
}

/** Fetches and decodes transactions and compares their rows with the tables. */
export async function compareTransactions(
  context: AuditContext,
  infos: readonly SignatureInfo[],
): Promise<FindingsByKey> {
  const findings = new FindingsByKey()
  const signatures = infos.map((info) => info.signature)
  const decoded = await fetchTransactions(context.rpc, infos, context)
  const eventSignatures = new Map(decoded.ledger_events.map((event) => [event.id, event.signature]))
  for (const signature of eventSignatures.values()) findings.of(signature).events += 1
  findings.addUnreadable(decoded.dead_letters)
  for (const { table, ignoredColumns, stored } of CHECKS) {
    const [keyColumn] = INDEXED_COLUMNS[table]
    const keyed = (rows: readonly object[]): Map<string, Partial<StoredRow>> =>
      new Map((rows as Record<string, string>[]).map((row) => [row[keyColumn] ?? '', row]))
    const db = context.orm.em.fork().getKysely()
    const database = keyed((await stored(signatures, [...eventSignatures.keys()]).execute(db)).rows)
    const ledger = keyed(decoded[table])
    for (const key of new Set([...database.keys(), ...ledger.keys()])) {
      const sides = { ledger: ledger.get(key), database: database.get(key) }
      const row = sides.ledger ?? sides.database
      const signature = eventSignatures.get(String(row?.event_id)) ?? row?.signature ?? ''
      findings.of(signature).differences.push(...compareRow(table, key, sides, ignoredColumns))
    }
  }
  return findings
}
