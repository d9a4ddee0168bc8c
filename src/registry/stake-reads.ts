import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { countRows, type PageRow, readPage, sortedKeyset } from '../db/keyset.ts'
import {
  type Connection,
  type ConnectionInput,
  connectionOf,
  cursorOf,
  isText,
  isU64,
  readSpan,
} from '../domain/connection.ts'
import { DomainError } from '../domain/errors.ts'
import { type Order, type Page, pageBounds, type PageInput } from '../domain/page.ts'
import { optional, pubkeyParameter } from '../domain/parameters.ts'
import type { CountedPage } from './table-copy.ts'
import { databaseReader, type RegistryReader } from './registry.ts'
import { stakeColumns, type StakeRow } from './rows.ts'
import type { StakeWindow } from './stakes-copy.ts'

export const STAKE_SORTS = ['pda', 'deposited_amount'] as const

export interface StakeFilter {
  readonly owner?: string | null
  readonly agentPda?: string | null
  /** Default: pda. */
  readonly sort?: (typeof STAKE_SORTS)[number] | null
  /** Default: asc by pda, desc by amount. */
  readonly order?: Order | null
}

/** A withdrawal that was requested and is neither completed nor cancelled. */
export interface WithdrawalRow {
  readonly stakePda: string
  /** USDC base units (6 decimals), in decimal. */
  readonly amount: string
  readonly requestedAt: string
  /** With the cooldown of the registry as it is now. Null if the registry is not initialised. */
  readonly completableAt: string | null
}

export type StakeReads = ReturnType<typeof createStakeReads>

/** Without a registry in memory, PostgreSQL answers. */
export function createStakeReads(kysely: Kysely<Database>, registry = databaseReader) {
  const sources = { kysely, registry }
  const find = (pdas: readonly string[]) =>
    registry.read(
      ({ stakes }) => stakes.find(pdas),
      () => selectStakes(kysely, sql`where pda = any(${pdas}::text[])`),
    )
  return {
    /** Throws INVALID_PUBKEY and INVALID_INTEGER. */
    list: (input: StakeFilter & PageInput) => listStakes(sources, input),
    /** The same list by cursors. Throws INVALID_CURSOR as well. */
    listConnection: (input: StakeFilter & ConnectionInput) => listStakesConnection(sources, input),
    /** Throws INVALID_PUBKEY and STAKE_NOT_FOUND. */
    get: async (pda: string) => {
      const [stake] = await find([pubkeyParameter('pda', pda)])
      if (stake === undefined) throw new DomainError('STAKE_NOT_FOUND')
      return stake
    },
    /** The existing stakes among these addresses, in no order. */
    find,
    /** The stakes of those agents that have one, in no order. */
    findByAgents: (agentPdas: readonly string[]) =>
      registry.read(
        ({ stakes }) => stakes.ofAgents(agentPdas),
        () => selectStakes(kysely, sql`where agent_pda = any(${agentPdas}::text[])`),
      ),
    /** The open withdrawals of these stakes, in no order. */
    findWithdrawals: (stakePdas: readonly string[]) => findWithdrawals(kysely, stakePdas),
  }
}

interface StakeSources {
  readonly kysely: Kysely<Database>
  readonly registry: RegistryReader
}

/** A page and its total. Null if PostgreSQL must read them. */
function findInMemory(
  { registry }: StakeSources,
  { owner, agentPda }: StakeFilter,
  window: StakeWindow,
): Promise<CountedPage<StakeRow> | null> {
  return registry.read<CountedPage<StakeRow> | null>(
    ({ stakes }) => stakes.list({ owner: owner ?? null, agentPda: agentPda ?? null }, window),
    async () => null,
  )
}

async function selectStakes(kysely: Kysely<Database>, clauses: RawBuilder<unknown>): Promise<StakeRow[]> {
  const { rows } = await sql<StakeRow>`select ${stakeColumns} from stakes ${clauses}`.execute(kysely)
  return rows
}

/** The page and the exact total come from one statement. */
async function listStakes(sources: StakeSources, input: StakeFilter & PageInput): Promise<Page<StakeRow>> {
  const matching = sql.join(conditionsOf(input), sql` and `)
  const bounds = pageBounds(input)
  const { name, column, order } = sortOf(input)
  const found = await findInMemory(sources, input, {
    sort: name,
    descending: order === 'desc',
    after: null,
    before: null,
    backward: false,
    ...bounds,
  })
  if (found !== null) return { ...found, ...bounds }
  const direction = sql.raw(order)
  const { rows } = await sql<PageRow<StakeRow>>`
    select counted.total, ${stakeColumns}
    from (${total(input, matching)}) as counted
    left join (
      select pda, ${column} as rank from stakes where ${matching}
      order by ${column} ${direction}, pda limit ${bounds.limit} offset ${bounds.offset}
    ) as page on true
    left join stakes on stakes.pda = page.pda
    order by page.rank ${direction}, page.pda`.execute(sources.kysely)
  return readPage(rows, 'pda', bounds)
}

async function listStakesConnection(
  sources: StakeSources,
  input: StakeFilter & ConnectionInput,
): Promise<Connection<StakeRow>> {
  const matching = conditionsOf(input)
  const { name, order, column, type, isValue, value } = sortOf(input)
  const list = `stakes/${name}/${order}`
  const span = readSpan<readonly [string, string]>(list, input, [isValue, isText])
  const cursor = (row: StakeRow): string => cursorOf(list, [value(row), row.pda])
  const { after = null, before = null, backward } = span
  const found = await findInMemory(sources, input, {
    sort: name,
    descending: order === 'desc',
    after,
    before,
    backward,
    offset: 0,
    limit: span.size + 1,
  })
  if (found !== null) return connectionOf(found.rows, span, cursor, async () => found.total)
  const { conditions, page } = sortedKeyset({ column, type, order }, span)
  const rows = await selectStakes(
    sources.kysely,
    sql`where ${sql.join([...matching, ...conditions], sql` and `)} ${page}`,
  )
  return connectionOf(rows, span, cursor, () =>
    countRows(sources.kysely, total(input, sql.join(matching, sql` and `))),
  )
}

/** Counting all stakes takes 15 ms for a million. A trigger keeps their number. */
function total({ owner, agentPda }: StakeFilter, matching: RawBuilder<unknown>): RawBuilder<unknown> {
  return (owner ?? agentPda ?? null) === null
    ? sql`select count as total from stake_totals`
    : sql`select count(*) as total from stakes where ${matching}`
}

const SORTS = {
  pda: {
    column: sql`pda`,
    type: sql`text`,
    order: 'asc',
    isValue: isText,
    value: (row: StakeRow) => row.pda,
  },
  deposited_amount: {
    column: sql`deposited_amount`,
    type: sql`numeric`,
    order: 'desc',
    isValue: isU64,
    value: (row: StakeRow) => row.depositedAmount,
  },
} as const

function sortOf({ sort, order }: StakeFilter) {
  const name = sort ?? 'pda'
  return { name, ...SORTS[name], order: order ?? SORTS[name].order }
}

function conditionsOf(filter: StakeFilter): RawBuilder<unknown>[] {
  const owner = optional(pubkeyParameter, 'owner', filter.owner)
  const agentPda = optional(pubkeyParameter, 'agentPda', filter.agentPda)
  return [
    sql`true`,
    ...(owner === undefined ? [] : [sql`owner = ${owner}`]),
    ...(agentPda === undefined ? [] : [sql`agent_pda = ${agentPda}`]),
  ]
}

async function findWithdrawals(
  kysely: Kysely<Database>,
  stakePdas: readonly string[],
): Promise<WithdrawalRow[]> {
  const { rows } = await sql<WithdrawalRow>`
    select stake_pda as "stakePda", amount, requested_at as "requestedAt",
      requested_at + (select cooldown_seconds from registry_config limit 1) * interval '1 second' as "completableAt"
    from withdrawal_requests where stake_pda = any(${stakePdas}::text[])`.execute(kysely)
  return rows
}
