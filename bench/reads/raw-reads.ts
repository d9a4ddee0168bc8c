import { Pool, type PoolConfig } from 'pg'
import { valueParsers } from '../../src/db/value-parsers.ts'

export const COLUMNS = `agents.pda, agents.owner, agents.name, agents.tier, agents.status, agents.service_category,
  agents.reputation_score, agents.capabilities, agents.version, agents.agent_card_url, agents.card_hash_mismatch,
  agents.created_at, agents.updated_at`

/** Filters of lists, and their columns. */
export const FILTERS = { tier: 'tier', status: 'status', category: 'service_category' } as const
type Filter = keyof typeof FILTERS

export interface List extends Partial<Record<Filter, string>> {
  readonly sort?: 'reputation'
  readonly limit?: number
  readonly offset?: number
}

/** The filters' values follow the limit and the offset. The total is from the counts. */
function listText(filters: readonly Filter[], order: string, offset: number): string {
  const matches = `not card_hash_mismatch${filters.map((name, i) => ` and ${FILTERS[name]} = $${i + 3}`).join('')}`
  const pageOf = (columns: string) =>
    `select ${columns} from agents where ${matches} order by ${order} desc, pda limit $1 offset $2`
  // What is skipped is read from the index alone.
  const page =
    offset === 0 ? pageOf('*') : `select agents.* from (${pageOf('pda')}) as page join agents using (pda)`
  return `select total.total, ${COLUMNS}
    from (select coalesce(sum(count), 0)::int8 as total from agent_counts where ${matches}) as total
    left join (${page}) as agents on true
    order by agents.${order} desc, agents.pda`
}

const AFTER = `select ${COLUMNS} from agents
  where not card_hash_mismatch and created_at <= $1 and (created_at < $1 or pda > $2)
  order by created_at desc, pda limit $3`
const STAKES = `select agent_pda, deposited_amount::text, locked_amount::text from stakes where agent_pda = any($1)`

export const SEARCH = `with matches as materialized (
    select pda, similarity(name, $3) as similarity from agents where name % $3 and not card_hash_mismatch)
  select total.total, ${COLUMNS}, page.similarity as name_similarity
  from (select count(*) as total from matches) as total
  left join (select * from matches order by similarity desc, pda limit $1 offset $2) as page on true
  left join agents on agents.pda = page.pda order by page.similarity desc, page.pda`

const ONE = `select ${COLUMNS} from agents where pda = $1`

type Row = Record<string, unknown> & { total: number; capabilities: string }
export type Agent = Record<string, unknown>
export interface AgentPage {
  total: number
  limit: number
  offset: number
  agents: Agent[]
}

export interface RawReads {
  list(list: List): Promise<AgentPage>
  search(name: string, list: List): Promise<AgentPage>
  /** The agents after one of the list. */
  after(createdAt: string, pda: string, limit: number): Promise<Agent[]>
  /** The stakes of these agents. */
  stakes(pdas: readonly string[]): Promise<Agent[]>
  one(pda: string): Promise<Agent | null>
  close(): Promise<void>
}

/** A pool and prepared statements with the best known SQL. */
export function rawReads(connection: PoolConfig): RawReads {
  const pool = new Pool({ ...connection, max: 10, types: valueParsers, options: '-c TimeZone=UTC' })
  const toAgent = ({ total: _total, ...row }: Row): Agent => ({
    ...row,
    capabilities: Number(row.capabilities),
  })
  const read = async (name: string, text: string, values: unknown[]) =>
    (await pool.query<Row>({ name, text, values })).rows
  const pageOf = (rows: Row[], limit: number, offset: number): AgentPage => {
    const agents = rows[0]?.['pda'] === null ? [] : rows.map(toAgent)
    return { total: rows[0]?.total ?? 0, limit, offset, agents }
  }
  return {
    list: async (list) => {
      const { sort, limit = 50, offset = 0 } = list
      const filters = (Object.keys(FILTERS) as Filter[]).filter((name) => list[name] !== undefined)
      const order = sort === undefined ? 'created_at' : 'reputation_score'
      const name = `list ${filters.join(' ')} ${order} ${offset > 0}`
      const values = [limit, offset, ...filters.map((filter) => list[filter])]
      return pageOf(await read(name, listText(filters, order, offset), values), limit, offset)
    },
    search: async (name, { limit = 50, offset = 0 }) =>
      pageOf(await read('search', SEARCH, [limit, offset, name]), limit, offset),
    after: async (createdAt, pda, limit) =>
      (await read('after', AFTER, [createdAt, pda, limit])).map(toAgent),
    stakes: (pdas) => read('stakes', STAKES, [pdas]),
    one: async (pda) => {
      const [row] = await read('one', ONE, [pda])
      return row === undefined ? null : toAgent(row)
    },
    close: () => pool.end(),
  }
}
