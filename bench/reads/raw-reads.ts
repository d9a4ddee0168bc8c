import { Pool, type PoolConfig } from 'pg'
import { valueParsers } from '../../src/db/value-parsers.ts'

export const COLUMNS = `agents.pda, agents.owner, agents.name, agents.tier, agents.status, agents.service_category,
  agents.reputation_score, agents.capabilities, agents.version, agents.agent_card_url, agents.card_hash_mismatch,
  agents.created_at, agents.updated_at`

const LIST = `select total.total, ${COLUMNS}
  from (select coalesce(sum(count), 0)::int8 as total from agent_counts where not card_hash_mismatch) as total
  left join (
    select * from agents where not card_hash_mismatch order by created_at desc, pda limit $1 offset $2
  ) as agents on true
  order by agents.created_at desc, agents.pda`

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
  list(limit: number, offset: number, name?: string): Promise<AgentPage>
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
  return {
    list: async (limit, offset, name) => {
      const { rows } = await pool.query<Row>(
        name === undefined
          ? { name: 'list', text: LIST, values: [limit, offset] }
          : { name: 'search', text: SEARCH, values: [limit, offset, name] },
      )
      const agents = rows[0]?.['pda'] === null ? [] : rows.map(toAgent)
      return { total: rows[0]?.total ?? 0, limit, offset, agents }
    },
    one: async (pda) => {
      const { rows } = await pool.query<Row>({ name: 'one', text: ONE, values: [pda] })
      return rows[0] === undefined ? null : toAgent(rows[0])
    },
    close: () => pool.end(),
  }
}
