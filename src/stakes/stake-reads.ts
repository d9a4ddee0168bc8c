import { type Kysely, sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { type PageRow, readPage } from '../db/read-page.ts'
import type { Connection } from '../domain/connection.ts'
import { type Page, type PageInput, pageBounds } from '../domain/page.ts'
import { optional, pubkeyParameter } from '../domain/parameters.ts'
import { DomainError } from '../domain/errors.ts'
import { type StakeWalkInput, walkStakes } from './walk-stakes.ts'
import { stakeColumns, type StakeRow } from './stake-row.ts'

export interface StakeListInput extends PageInput {
  readonly owner?: string | null
  readonly agentPda?: string | null
}

export interface StakeReads {
  list(input: StakeListInput): Promise<Page<StakeRow>>
  walk(input: StakeWalkInput): Promise<Connection<StakeRow>>
  /** Throws INVALID_PUBKEY and STAKE_NOT_FOUND. */
  get(pda: string): Promise<StakeRow>
  /** The stakes of those agents that have one, in no order. */
  findByAgents(agentPdas: readonly string[]): Promise<StakeRow[]>
}

export function createStakeReads(kysely: Kysely<Database>): StakeReads {
  return {
    list: (input) => listStakes(kysely, input),
    walk: (input) => walkStakes(kysely, input),
    get: (pda) => getStake(kysely, pda),
    findByAgents: async (agentPdas) => {
      const { rows } = await sql<StakeRow>`
        select ${stakeColumns} from stakes where agent_pda = any(${agentPdas}::text[])`.execute(kysely)
      return rows
    },
  }
}

/** In the order of pda. Page and exact total come of one statement, and so of one moment. */
async function listStakes(kysely: Kysely<Database>, input: StakeListInput): Promise<Page<StakeRow>> {
  const owner = optional(pubkeyParameter, 'owner', input.owner)
  const agentPda = optional(pubkeyParameter, 'agentPda', input.agentPda)
  const bounds = pageBounds(input)
  const ofOwner = owner === undefined ? sql`true` : sql`owner = ${owner}`
  const matching = agentPda === undefined ? ofOwner : sql`${ofOwner} and agent_pda = ${agentPda}`
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

async function getStake(kysely: Kysely<Database>, pda: string): Promise<StakeRow> {
  const key = pubkeyParameter('pda', pda)
  const { rows } = await sql<StakeRow>`select ${stakeColumns} from stakes where pda = ${key}`.execute(kysely)
  const [stake] = rows
  if (stake === undefined) throw new DomainError('STAKE_NOT_FOUND')
  return stake
}
