import { batchesOf, settleBoth, chunksOf } from '../../platform/async/promises.ts'
import { listAccounts, fetchAccounts } from '../indexer/fetch/fetch-accounts.ts'
import {
  compareHistory,
  compareTransactions,
  everyTransaction,
  openListedSignatures,
} from './compare-transactions.ts'
import { assertComplete, listSignatures, type SignatureListing } from '../indexer/fetch/signature-listing.ts'
import { retryingRpc } from '../rpc/ledger-rpc.ts'
import {
  type AuditContext,
  type AuditOptions,
  type Difference,
  type Unreadable,
  compareRows,
  type Findings,
  FindingsByKey,
  noFindings,
  recheck,
} from './findings.ts'
import { setTimeout as delay } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { ACCOUNT_TABLES, pdasOf } from '../decode/decode-account.ts'
import { knownError } from '../../domain/known-error.ts'
import { pipelined } from '../../platform/async/pipeline.ts'

export interface AuditReport {
  accounts: number
  transactions: number
  events: number
  differences: Difference[]
  /** Data of the ledger that cannot be read: in the dead letters, and in no other table. */
  unreadable: Unreadable[]
}

const ACCOUNTS_PER_BATCH = 1_000

/**
 * Compares every account and event on the ledger with the tables, field by field. The indexer may
 * run at the same time.
 */
export async function audit(options: AuditOptions): Promise<AuditReport> {
  const { signal } = new AbortController()
  const context: AuditContext = {
    commitment: 'confirmed',
    batchSize: 100,
    inFlight: 6,
    settleMs: 3_000,
    onProgress: () => {},
    ...options,
    signal,
    rpc: retryingRpc(options.rpc, { signal, maxAttempts: 12 }),
  }
  const { programId, commitment } = context
  // The node lists signatures while the accounts are compared.
  const [accounts, listing] = await settleBoth(
    auditAccounts(context),
    listSignatures(context.rpc, { programId, commitment, until: null, minSlot: 0 }),
  )
  const transactions = await auditTransactions(context, listing)
  const found = [...accounts.differences, ...transactions.differences]
  const [[counts, unmatched], history] = await settleBoth(
    settleBoth(compareCounts(context), findUnmatchedRows(context, transactions.differences)),
    compareHistory(context, found),
  )
  return {
    accounts: accounts.items,
    transactions: transactions.items,
    events: transactions.events,
    differences: [...accounts.differences, ...counts, ...transactions.differences, ...unmatched, ...history],
    unreadable: [...accounts.unreadable, ...transactions.unreadable],
  }
}

async function auditAccounts(context: AuditContext): Promise<ComparisonResult> {
  const pdas = await listAccounts(context.rpc, context.orm.em.fork().getKysely(), context)
  return compareBatches(context, {
    batches: batchesOf([pdas], ACCOUNTS_PER_BATCH),
    keyOf: (pda) => pda,
    compare: (batch) => compareAccounts(context, batch),
    onProgress: (done) => context.onProgress({ stage: 'accounts', done, total: pdas.length }),
  })
}

async function auditTransactions(
  context: AuditContext,
  listing: SignatureListing,
): Promise<ComparisonResult> {
  const { orm, batchSize } = context
  assertComplete(listing)
  await using listed = await openListedSignatures(orm)
  // The `await` keeps the session open until the comparison ends.
  return await compareBatches(context, {
    batches: batchesOf(everyTransaction(listing, listed), batchSize),
    keyOf: ({ signature }) => signature,
    compare: (infos) => compareTransactions(context, infos),
    onProgress: (done) =>
      context.onProgress({ stage: 'transactions', done, total: Math.max(done, listing.count) }),
  })
}

/** Reads accounts and compares their rows. One that cannot be read has a dead letter and no row. */
async function compareAccounts(context: AuditContext, pdas: readonly string[]): Promise<FindingsByKey> {
  const findings = new FindingsByKey()
  const snapshots = await fetchAccounts(context.rpc, pdas, context)
  const deadLetters = snapshots.flatMap((snapshot) => snapshot.deadLetters)
  const reasons = new Map(deadLetters.map(({ pda, reason }) => [pda, reason]))
  findings.addUnreadable(deadLetters)
  for (const table of ACCOUNT_TABLES) {
    const ledger = snapshots.flatMap((snapshot) => snapshot.rows.get(table) ?? [])
    const differences = compareRows(
      table,
      'pda',
      { ledger, database: await loadRows(context, table, pdas) },
      ['slot'],
    )
    for (const each of differences) each.ledger = reasons.get(each.key) ?? each.ledger
    findings.add(differences)
  }
  // An open account that is stored as closed would never be written again.
  const open = snapshots.flatMap((snapshot) => pdasOf({ ...snapshot, closed: [] }))
  const closed = await loadRows(context, 'closed_accounts', open)
  findings.add(compareRows('closed_accounts', 'pda', { ledger: [], database: closed }))
  const stored = await loadRows<{ id: string; pda: string }>(context, 'dead_letters', pdas)
  const pdaOf = new Map([...deadLetters, ...stored].map(({ id, pda }) => [id, pda]))
  findings.add(
    compareRows('dead_letters', 'id', { ledger: deadLetters, database: stored }, ['slot', 'reason']),
    ({ key }) => pdaOf.get(key) ?? '',
  )
  return findings
}

async function loadRows<Row extends { pda: string }>(
  { orm }: AuditContext,
  table: keyof Database,
  pdas: readonly string[],
): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select * from ${sql.table(table)} where pda = any(${pdas})`.execute(orm.em.fork().getKysely())
  return rows
}

/** Compares the counts that triggers maintain with the agents (`ledger`). */
async function compareCounts({ orm }: AuditContext): Promise<Difference[]> {
  const dimensions = sql`tier, status, service_category, card_hash_mismatch`
  const { rows } = await sql<Omit<Difference, 'table' | 'field'>>`
    select concat_ws('/', ${dimensions}) as key,
      coalesce(a.count, 0) as ledger, coalesce(k.count, 0) as database
    from (select ${dimensions}, count(*) from agents group by ${dimensions}) a
    full join agent_counts k using (${dimensions})
    where coalesce(a.count, 0) <> coalesce(k.count, 0)`.execute(orm.em.fork().getKysely())
  return rows.map(({ key, ledger, database }) => ({
    table: 'agent_counts',
    key,
    field: 'count',
    ledger,
    database,
  }))
}

/**
 * Finds history entries and outbox events that belong to no event. Those of an event in `found`
 * are not reported again: the loss of its row is the difference.
 */
async function findUnmatchedRows({ orm }: AuditContext, found: readonly Difference[]): Promise<Difference[]> {
  const lost = found.filter(({ table, field }) => table === 'ledger_events' && field === '*')
  const lostIds = lost.map((difference) => difference.key)
  const find = async (table: string, key: string, condition: RawBuilder<unknown>): Promise<Difference[]> => {
    const { rows } = await sql<{ key: string }>`
      select s.${sql.ref(key)} as key, s.* from ${sql.table(table)} s
      where ${condition} and not (s.event_id = any(${lostIds}))
        and not exists (select 1 from ledger_events e where e.id = s.event_id)
      order by 1`.execute(orm.em.fork().getKysely())
    return rows.map(({ key: id, ...database }) => ({
      table,
      key: id,
      field: '*',
      ledger: undefined,
      database,
    }))
  }
  return [
    ...(await find('agent_history', 'event_id', sql`true`)),
    ...(await find('outbox_events', 'id', sql`s.cancelled_at is null`)),
  ]
}

const MAX_ATTEMPTS = 3
const RETRY_MS = 500

export interface Comparison<Item> {
  batches: AsyncIterable<Item[]> | Iterable<Item[]>
  /** The key of the item's findings. */
  keyOf: (item: Item) => string
  compare: (items: Item[]) => Promise<FindingsByKey>
  onProgress: (done: number) => void
}

interface ComparisonResult extends Findings {
  items: number
}

/**
 * Compares batches, several at a time. Compares items that differ again until they agree or
 * `settleMs` has passed. Only those are kept in memory.
 */
async function compareBatches<Item>(
  context: AuditContext,
  { batches, keyOf, compare, onProgress }: Comparison<Item>,
): Promise<ComparisonResult> {
  const { inFlight, batchSize, signal } = context
  const result: ComparisonResult = { ...noFindings(), items: 0 }
  const add = ({ differences, unreadable, events }: Findings): void => {
    result.differences.push(...differences)
    result.unreadable.push(...unreadable)
    result.events += events
  }
  /** Adds the findings of items without differences. Returns the others. */
  async function compareAll(
    inputs: AsyncIterable<Item[]> | Iterable<Item[]>,
    onBatch: (items: Item[]) => void,
  ): Promise<[Item, Findings][]> {
    const differing: [Item, Findings][] = []
    const work = async (items: Item[]) => ({ items, byKey: await attempt(() => compare(items), signal) })
    for await (const ready of pipelined(inputs, inFlight, work))
      for (const { items, byKey } of ready) {
        for (const item of items) {
          const findings = byKey.of(keyOf(item))
          if (findings.differences.length > 0) differing.push([item, findings])
          else add(findings)
        }
        onBatch(items)
      }
    return differing
  }

  const differing = await compareAll(batches, (items) => onProgress((result.items += items.length)))
  const lasting = await recheck(context, differing, (again) => {
    const items = again.map(([item]) => item)
    return compareAll(chunksOf(items, batchSize), () => {})
  })
  for (const [, findings] of lasting) add(findings)
  return result
}

/** Retries after an outage of the database, or after a read that took too long. */
async function attempt<T>(read: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await read()
    } catch (error) {
      if (attempts === MAX_ATTEMPTS || knownError(error)?.code !== 'DATABASE_UNAVAILABLE') throw error
      await delay(RETRY_MS, undefined, { signal })
    }
  }
}
