import { type RawBuilder, sql } from 'kysely'
import { INDEXED_COLUMNS, type IndexedRows, type IndexedTable } from '../decode/rows.ts'
import type { SignatureInfo } from '../decode/rpc-transaction.ts'
import { fetchTransactions } from '../indexer/fetch/fetch-transactions.ts'
import type { SignatureListing } from '../indexer/fetch/signature-listing.ts'
import { compareRow, FindingsByKey } from './findings.ts'
import type { ListedSignatures } from './listed-signatures.ts'
import type { AuditContext } from './options.ts'

type StoredRow = Record<string, unknown>
type StoredRows = Record<IndexedTable, StoredRow[]>

const IGNORED_COLUMNS: Partial<Record<IndexedTable, readonly string[]>> = {
  ledger_transactions: ['accounts', 'finality'],
  ledger_events: ['finality'],
  dead_letters: ['slot', 'reason'],
}

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
  const decoded = await fetchTransactions(context.rpc, infos, context)
  for (const { signature } of decoded.ledger_events) findings.of(signature).events += 1
  findings.addUnreadable(decoded.dead_letters)
  const signatures = infos.map((info) => info.signature)
  const { stored, eventSignatures } = await loadStored(context, signatures, decoded)
  for (const table of Object.keys(INDEXED_COLUMNS) as IndexedTable[]) {
    const [keyColumn] = INDEXED_COLUMNS[table]
    const database = new Map(stored[table].map((row) => [String(row[keyColumn]), row]))
    const ledger = new Map((decoded[table] as StoredRow[]).map((row) => [String(row[keyColumn]), row]))
    const compare = (key: string, row: StoredRow): void => {
      const sides = { ledger: ledger.get(key), database: database.get(key) }
      const differences = compareRow(table, key, sides, IGNORED_COLUMNS[table])
      if (differences.length === 0) return
      const signature = eventSignatures.get(String(row.event_id)) ?? String(row.signature)
      // History and outbox have no signature of their own.
      for (const each of differences) if (each.database === row) each.database = { signature, ...row }
      findings.of(signature).differences.push(...differences)
    }
    for (const [key, row] of ledger) compare(key, row)
    for (const [key, row] of database) if (!ledger.has(key)) compare(key, row)
  }
  return findings
}

/** The stored rows of these transactions, and the signatures of all their events by id. */
async function loadStored(
  { orm }: AuditContext,
  signatures: readonly string[],
  decoded: IndexedRows,
): Promise<{ stored: StoredRows; eventSignatures: ReadonlyMap<string, string> }> {
  const load = async (condition: RawBuilder<unknown>): Promise<StoredRow[]> =>
    (await sql<StoredRow>`select * from ${condition}`.execute(orm.em.fork().getKysely())).rows
  const transactions = await load(
    sql`ledger_transactions where signature = any(${signatures}) and finality <> 'orphaned'`,
  )
  const events = await load(sql`ledger_events where signature = any(${signatures})`)
  const validEvents = events.filter(({ finality }) => finality !== 'orphaned')
  const idsAndSignatures = (rows: readonly object[]): [string, string][] =>
    (rows as { id: string; signature: string }[]).map(({ id, signature }) => [id, signature])
  const eventSignatures = new Map(idsAndSignatures([...events, ...decoded.ledger_events]))
  // By event id, because history and outbox remain when the event's own row is lost.
  const validIds = [...new Map(idsAndSignatures([...validEvents, ...decoded.ledger_events])).keys()]
  const stored = {
    ledger_transactions: transactions,
    ledger_events: validEvents,
    agent_history: await load(sql`agent_history where event_id = any(${[...eventSignatures.keys()]})`),
    outbox_events: await load(sql`outbox_events where cancelled_at is null and event_id = any(${validIds})`),
    dead_letters: await load(sql`dead_letters where signature = any(${signatures})`),
  }
  return { stored, eventSignatures }
}
