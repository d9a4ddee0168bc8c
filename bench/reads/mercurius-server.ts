import { AGENT_STATUSES, SERVICE_CATEGORIES, TIERS } from '@agent-registry/program'
import { fastify, type FastifyPluginAsync } from 'fastify'
import { enumName } from '../../schema/enum-values.ts'
import { serveMeasured } from './measured-server.ts'
import { type Agent, type List, rawReads } from './raw-reads.ts'

/**
 * GraphQL written by hand: Mercurius with compiled queries, over the SQL of the hand-written
 * routes.
 */
const SCHEMA = `
  scalar Pubkey
  enum Tier { ${TIERS.map(enumName).join(' ')} }
  enum AgentStatus { ${AGENT_STATUSES.map(enumName).join(' ')} }
  enum ServiceCategory { ${SERVICE_CATEGORIES.map(enumName).join(' ')} }
  enum AgentOrderField { REPUTATION }
  input AgentOrder { field: AgentOrderField }
  input AgentFilter { name: String tier: Tier status: AgentStatus category: ServiceCategory }
  type Stake { deposited_amount: String! locked_amount: String! }
  type Agent {
    pda: Pubkey! owner: Pubkey! name: String! tier: Tier! status: AgentStatus! service_category: ServiceCategory!
    reputation_score: Int! capabilities: Float! version: String! agent_card_url: String! card_hash_mismatch: Boolean!
    created_at: String! updated_at: String! name_similarity: Float stake: Stake
  }
  type PageInfo { endCursor: String hasNextPage: Boolean! }
  type AgentConnection { nodes: [Agent!]! pageInfo: PageInfo! }
  type AgentPage { total: Int! limit: Int! offset: Int! agents: [Agent!]! }
  type Query {
    agents(first: Int!, after: String): AgentConnection!
    agentsPage(filter: AgentFilter, orderBy: AgentOrder, limit: Int = 50, offset: Int = 0): AgentPage!
    agent(pda: Pubkey!): Agent
  }`

/** Writes the texts of the database as names. */
function named(texts: readonly string[]) {
  const names = new Map(texts.map((text) => [text, enumName(text)]))
  return { serialize: (text: string) => names.get(text) }
}

const TEXTS = new Map(
  [...TIERS, ...AGENT_STATUSES, ...SERVICE_CATEGORIES].map((text) => [enumName(text), text]),
)
const textsOf = (filters: object): List =>
  Object.fromEntries(Object.entries(filters).map(([filter, name]) => [filter, TEXTS.get(name as string)]))

/** A page after a cursor, which has the last agent's position. */
async function connectionOf(first: number, after?: string | null) {
  const [createdAt = '', pda = ''] =
    after === undefined || after === null
      ? ['infinity']
      : (JSON.parse(Buffer.from(after, 'base64').toString()) as string[])
  const rows = await reads.after(createdAt, pda, first + 1)
  const nodes = rows.slice(0, first)
  const last = nodes.at(-1)
  const cursor = JSON.stringify([last?.['created_at'], last?.['pda']])
  const endCursor = last === undefined ? null : Buffer.from(cursor).toString('base64')
  return { nodes, pageInfo: { endCursor, hasNextPage: rows.length > first } }
}

interface PageArguments {
  filter?: Pick<List, 'tier' | 'status' | 'category'> & { name?: string }
  orderBy?: object
  limit: number
  offset: number
}

process.env.NODE_ENV = 'production'
// Installed only by the bench, so the compiler must not resolve it.
const MERCURIUS: string = 'mercurius'
const { default: mercurius } = (await import(MERCURIUS)) as {
  default: FastifyPluginAsync<Record<string, unknown>>
}

const reads = rawReads({ connectionString: process.argv[2] })
const app = fastify()
await app.register(mercurius, {
  schema: SCHEMA,
  resolvers: {
    Query: {
      agents: (_: unknown, { first, after }: { first: number; after?: string }) => connectionOf(first, after),
      agentsPage: (_: unknown, { filter, orderBy, ...page }: PageArguments) => {
        const { name, ...filters } = filter ?? {}
        if (name !== undefined) return reads.search(name, page)
        return reads.list({ ...textsOf(filters), ...page, sort: orderBy == null ? undefined : 'reputation' })
      },
      agent: (_: unknown, { pda }: { pda: string }) => reads.one(pda),
    },
    Tier: named(TIERS),
    AgentStatus: named(AGENT_STATUSES),
    ServiceCategory: named(SERVICE_CATEGORIES),
  },
  loaders: {
    Agent: {
      stake: async (queries: readonly { obj: Agent }[]) => {
        const rows = await reads.stakes(queries.map(({ obj }) => String(obj['pda'])))
        const byAgent = new Map(rows.map((row) => [row['agent_pda'], row]))
        return queries.map(({ obj }) => byAgent.get(obj['pda']) ?? null)
      },
    },
  },
  // Compiles a document at its second use.
  jit: 1,
  graphiql: false,
})
serveMeasured(Number(new URL(await app.listen({ port: 0 })).port))
