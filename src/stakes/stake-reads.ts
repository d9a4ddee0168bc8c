import { type Kysely, type RawBuilder, sql } from 'kysely'
import { columnsOf, type RowOf } from '../db/columns-of.ts'
import type { Database } from '../db/database.ts'
import { Stake } from '../db/entities/ledger-accounts.ts'
import { type PageRow, readPage } from '../db/read-page.ts'
import {
  type Connection,
  type ConnectionInput,
  connectionOf,
  cursorOf,
  firstOf,
  isText,
  keyAfter,
} from '../domain/connection.ts'
import { DomainError } from '../domain/errors.ts'
import { type Page, type PageInput, pageBounds } from '../domain/page.ts'
import { optional, pubkeyParameter } from '../domain/parameters.ts'

const HIDDEN = ['rentPayer', 'bump', 'slot'] as const

/** A stake account as the read API shows it. */
export type StakeRow = Omit<RowOf<typeof Stake>, (typeof HIDDEN)[number]>

const stakeColumns = columnsOf(Stake, HIDDEN)

export interface StakeFilter {
  readonly owner?: string | null
  readonly agentPda?: string | null
}

export interface StakeReads {
  /** In the order of pda. Throws INVALID_PUBKEY and INVALID_INTEGER. */
  list(input: StakeFilter & PageInput): Promise<Page<StakeRow>>
  /** The same list by cursors. Throws INVALID_CURSOR as well. */
  listConnection(input: StakeFilter & ConnectionInput): Promise<Connection<StakeRow>>
  /** Throws INVALID_PUBKEY and STAKE_NOT_FOUND. */
  get(pda: string): Promise<StakeRow>
  /** The stakes of those agents that have one, in no order. */
  findByAgents(agentPdas: readonly string[]): Promise<StakeRow[]>
}

export function createStakeReads(kysely: Kysely<Database>): StakeReads {
  return {
    list: (input) => listStakes(kysely, input),
    listConnection: (input) => listStakesConnection(kysely, input),
    get: async (pda) => {
      const [stake] = await selectStakes(kysely, sql`where pda = ${pubkeyParameter('pda', pda)}`)
      if (stake === undefined) throw new DomainError('STAKE_NOT_FOUND')
      return stake
    },
    findByAgents: (agentPdas) => selectStakes(kysely, sql`where agent_pda = any(${agentPdas}::text[])`),
  }
}

async function selectStakes(kysely: Kysely<Database>, clauses: RawBuilder<unknown>): Promise<StakeRow[]> {
  const { rows } = await sql<StakeRow>`select ${stakeColumns} from stakes ${clauses}`.execute(kysely)
  return rows
}

/** The page and the exact total come from one statement. */
async function listStakes(kysely: Kysely<Database>, input: StakeFilter & PageInput): Promise<Page<StakeRow>> {
  const matching = sql.join(conditionsOf(input), sql` and `)
  const bounds = pageBounds(input)
  const { rows } = await sql<PageRow<StakeRow>>`
    select counted.total, ${stakeColumns}
    from (select count(*) as total from stakes where ${matching}) as counted
    left join (
      select pda from stakes where ${matching} order by pda limit ${bounds.limit} offset ${bounds.offset}
    ) as page on true
    left join stakes on stakes.pda = page.pda
    order by page.pda`.execute(kysely)
  return readPage(rows, 'pda', bounds)
}

async function listStakesConnection(
  kysely: Kysely<Database>,
  input: StakeFilter & ConnectionInput,
): Promise<Connection<StakeRow>> {
  const conditions = conditionsOf(input)
  const first = firstOf(input)
  const [after] = keyAfter<readonly [string]>('stakes', input, [isText]) ?? []
  if (after !== undefined) conditions.push(sql`pda > ${after}`)
  const rows = await selectStakes(
    kysely,
    sql`where ${sql.join(conditions, sql` and `)} order by pda limit ${first + 1}`,
  )
  return connectionOf(rows, first, (row) => cursorOf('stakes', [row.pda]))
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
