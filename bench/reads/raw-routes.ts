import { fastify, type FastifyInstance } from 'fastify'
import { Pool, type PoolConfig } from 'pg'
import { valueParsers } from '../../src/db/value-parsers.ts'

export const COLUMNS = `agents.pda, agents.owner, agents.name, agents.tier, agents.status, agents.service_category,
  agents.reputation_score, agents.capabilities, agents.version, agents.agent_card_url, agents.card_hash_mismatch,
  agents.created_at, agents.updated_at`

const LIST = `select total.total, ${COLUMNS}
  from (select coalesce(sum(count), 0)::int8 as total from agent_counts where not card_hash_mismatch) as total
  left join (
    select pda, created_at as rank from agents where not card_hash_mismatch
    order by created_at desc, pda limit $1 offset $2
  ) as page on true
  left join agents on agents.pda = page.pda order by page.rank desc, page.pda`

export const SEARCH = `with matches as materialized (
    select pda, similarity(name, $3) as similarity from agents where name % $3 and not card_hash_mismatch)
  select total.total, ${COLUMNS}, page.similarity as name_similarity
  from (select count(*) as total from matches) as total
  left join (select * from matches order by similarity desc, pda limit $1 offset $2) as page on true
  left join agents on agents.pda = page.pda order by page.similarity desc, page.pda`

const ONE = `select ${COLUMNS} from agents where pda = $1`

type Row = Record<string, unknown> & { total: number; capabilities: string }

/**
 * The same responses with the least code: Fastify, a pool, prepared statements with the best known
 * SQL, JSON.stringify.
 */
export function rawRoutes(connection: PoolConfig): FastifyInstance {
  const pool = new Pool({ ...connection, max: 10, types: valueParsers, options: '-c TimeZone=UTC' })
  const app = fastify()
  app.addHook('onClose', () => pool.end())
  const toAgent = ({ total: _total, ...row }: Row) => ({ ...row, capabilities: Number(row.capabilities) })

  app.get<{ Querystring: { name?: string; limit?: number; offset?: number } }>(
    '/agents',
    {
      schema: {
        querystring: {
          type: 'object',
          properties: {
            name: { type: 'string', maxLength: 64 },
            limit: { type: 'integer', minimum: 1, maximum: 200 },
            offset: { type: 'integer', minimum: 0 },
          },
        },
      },
    },
    async (request) => {
      const { name, limit = 50, offset = 0 } = request.query
      const query =
        name === undefined
          ? { name: 'list', text: LIST, values: [limit, offset] }
          : { name: 'search', text: SEARCH, values: [limit, offset, name] }
      const { rows } = await pool.query<Row>(query)
      return {
        total: rows[0]?.total ?? 0,
        limit,
        offset,
        agents: rows[0]?.['pda'] === null ? [] : rows.map(toAgent),
      }
    },
  )
  app.get<{ Params: { pda: string } }>('/agents/:pda', async (request, reply) => {
    const { rows } = await pool.query<Row>({ name: 'one', text: ONE, values: [request.params.pda] })
    return rows[0] === undefined ? reply.code(404).send({ error: 'Agent not found' }) : toAgent(rows[0])
  })
  return app
}
