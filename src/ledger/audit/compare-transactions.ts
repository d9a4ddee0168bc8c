import { type RawBuilder, sql } from 'kysely'
import type { Client } from 'pg'
import { METADATA_COLUMNS } from '../decode/history-entry.ts'
import {
  INDEXED_COLUMNS,
  type IndexedRows,
  type IndexedTable,
  UNREAD_TRANSACTION_KINDS,
} from '../decode/rows.ts'
import type { SignatureInfo } from '../decode/rpc-transaction.ts'
import { fetchTransactions } from '../indexer/fetch/fetch-transactions.ts'
import type { SignatureListing } from '../indexer/fetch/signature-listing.ts'
import { type AuditContext, compareRows, type Difference, FindingsByKey, recheck } from './findings.ts'
import type { Orm } from '../../db/orm-types.ts'
import { openSession } from '../../db/session.ts'

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
    const sides = { ledger: decoded[table], database: stored[table] }
    const rows = [...sides.database, ...sides.ledger] as StoredRow[]
    const byKey = new Map(rows.map((row) => [String(row[keyColumn]), row]))
    const signatureOf = ({ key }: Difference): string => {
      const { event_id, signature } = byKey.get(key)!
      return eventSignatures.get(String(event_id)) ?? String(signature)
    }
    const differences = compareRows(table, keyColumn, sides, IGNORED_COLUMNS[table])
    // History and outbox have no signature of their own.
    for (const each of differences)
      if (each.field === '*' && each.database !== undefined)
        each.database = { signature: signatureOf(each), ...(each.database as StoredRow) }
    findings.add(differences, signatureOf)
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

/** Columns of `agents`, by the member of the events that set them. */
const COLUMNS = {
  ...METADATA_COLUMNS,
  tier: 'tier',
  status: 'status',
  reputationScore: 'reputation_score',
}

/** While one of these exists, events may be missing, and the audit reports it as unreadable. */
const GAPS = ['missing_history', ...UNREAD_TRANSACTION_KINDS, 'unknown_event', 'undecodable_event']

/**
 * Compares the state of each agent with its last events (`ledger`). An agent of `found` is left
 * out: its row or its events differ from the ledger.
 */
export async function compareHistory(
  context: AuditContext,
  found: readonly Difference[],
): Promise<Difference[]> {
  // The indexer may be about to write the events of a newer state.
  return recheck(context, await findDifferences(context, found, null), async (differences) => {
    const before = new Set(differences.map((each) => JSON.stringify(each)))
    const keys = differences.map(({ key }) => key)
    const again = await findDifferences(context, found, keys)
    // An agent that changes often can differ at each check, but not in the same values.
    return again.filter((each) => before.has(JSON.stringify(each)))
  })
}

async function findDifferences(
  { orm }: AuditContext,
  found: readonly Difference[],
  only: readonly string[] | null,
): Promise<Difference[]> {
  const rows = found.map(({ ledger, database }) => (ledger ?? database) as { agent_pda?: string } | null)
  const pdas = [...found.map(({ key }) => key), ...rows.flatMap((row) => row?.agent_pda ?? [])]
  const events = sql`(
    select * from ledger_events
    where finality <> 'orphaned' and ${only === null ? sql`true` : sql`agent_pda = any(${only})`})`
  // An edited event is known by its id, an unreadable account by its dead letter.
  const leftOut = sql`(
    select unnest(${pdas}::text[]) union select agent_pda from ledger_events where id = any(${pdas})
    union select pda from dead_letters where pda is not null)`
  const gap = sql`exists (select from dead_letters where kind = any(${GAPS}))`
  return orm.em.fork().transactional(async (em) => {
    const db = em.getKysely()
    await sql`set local statement_timeout = 0`.execute(db)
    // Larger aggregates spill to disk.
    await sql`set local work_mem = '64MB'`.execute(db)
    const values = await sql<Omit<Difference, 'table'>>`
      select s.agent_pda as key, c.value || ' after its last event' as field,
        s.value as ledger, ${columnOf(sql`s.member`)} as database
      from (${lastValues(events)}) s
      join jsonb_each_text(${JSON.stringify(COLUMNS)}::jsonb) c on c.key = s.member
      join agents a on a.pda = s.agent_pda
      where s.value <> ${columnOf(sql`s.member`)} and not ${gap} and a.pda not in ${leftOut}
      order by 1, 2`.execute(db)
    const existence = await sql<Omit<Difference, 'table'>>`
      select s.agent_pda as key, 'existence after its last event' as field,
        s.name = 'AgentRegistered' as ledger, a.pda is not null as database
      from (
        select distinct on (agent_pda) agent_pda, name from ${events} e
        where name in ('AgentRegistered', 'AgentClosed') order by agent_pda, position desc) s
      left join agents a on a.pda = s.agent_pda
      where (s.name = 'AgentRegistered') <> (a.pda is not null) and not ${gap} and s.agent_pda not in ${leftOut}
      order by 1`.execute(db)
    return [...existence.rows, ...values.rows].map((row) => Object.assign(row, { table: 'agents' }))
  })
}

/**
 * The column of agents `a` that this member of events sets. to_jsonb(a) takes ten times as long.
 */
function columnOf(member: RawBuilder<unknown>): RawBuilder<unknown> {
  const cases = Object.entries(COLUMNS).map(
    ([name, column]) => sql`when ${sql.lit(name)} then ${sql.ref(`a.${column}`)}::text`,
  )
  return sql`case ${member} ${sql.join(cases, sql` `)} end`
}

/** The last value of each member that the agent's events contain since its last registration. */
function lastValues(events: RawBuilder<unknown>): RawBuilder<unknown> {
  // Positions sort as text and contain no space. An aggregate needs no sort of all events.
  return sql`
    select agent_pda, member, substr(last, strpos(last, ' ') + 1) as value
    from (
      select e.agent_pda, v.key as member, max(e.position || ' ' || v.value) as last
      from ${events} e
      cross join lateral jsonb_each_text(case e.name
        when 'AgentRegistered' then e.data
        when 'AgentUpdated' then e.data -> 'new'
        when 'TierUpdated' then jsonb_build_object('tier', e.data -> 'newTier')
        when 'ReputationUpdated' then jsonb_build_object('reputationScore', e.data -> 'newScore')
        else jsonb_build_object('status', e.data -> 'newStatus') end) v
      where v.value is not null and v.key = any(${Object.keys(COLUMNS)})
      group by e.agent_pda, v.key) l`
}

const PAGE_SIZE = 1_000

type ListedSignatures = Awaited<ReturnType<typeof openListedSignatures>>

/**
 * The signatures that the ledger lists. In a temporary table, since they may not fit into memory.
 * Dispose it to close its session.
 */
export async function openListedSignatures(orm: Orm) {
  const session = await openSession(orm)
  try {
    await session.query('set statement_timeout = 0')
    // The transaction of `unlisted` is idle while transactions are fetched.
    await session.query('set idle_in_transaction_session_timeout = 0')
    await session.query('create temporary table listed (signature text collate "C" not null)')
  } catch (error) {
    await session.end()
    throw error
  }
  return {
    add: async (signatures: readonly string[]): Promise<void> => {
      await session.query('insert into listed select unnest($1::text[])', [signatures])
    },
    /** The signatures that a table contains as valid and the ledger does not list, in pages. */
    unlisted: () => unlisted(session),
    [Symbol.asyncDispose]: () => session.end(),
  }
}

async function* unlisted(session: Client): AsyncGenerator<string[]> {
  await session.query(`
    create temporary table unlisted as
    select signature from ledger_transactions where finality <> 'orphaned'
    union all select signature from ledger_events where finality <> 'orphaned'
    union all select signature from dead_letters where signature is not null
    except select signature from listed`)
  await session.query('begin')
  await session.query('declare page cursor for select signature from unlisted')
  for (;;) {
    const { rows } = await session.query<{ signature: string }>(`fetch ${PAGE_SIZE} from page`)
    if (rows.length === 0) break
    yield rows.map((row) => row.signature)
  }
  await session.query('commit')
}
