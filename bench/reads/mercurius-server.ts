import { AGENT_STATUSES, SERVICE_CATEGORIES, TIERS } from '@agent-registry/program'
import { fastify, type FastifyPluginAsync } from 'fastify'
import { enumName } from '../../schema/enum-values.ts'
import { serveMeasured } from './measured-server.ts'
import { rawReads } from './raw-reads.ts'

/**
 * GraphQL written by hand: Mercurius with compiled queries, over the SQL of the hand-written
 * routes.
 */
const SCHEMA = `
  scalar Pubkey
  enum Tier { ${TIERS.map(enumName).join(' ')} }
  enum AgentStatus { ${AGENT_STATUSES.map(enumName).join(' ')} }
  enum ServiceCategory { ${SERVICE_CATEGORIES.map(enumName).join(' ')} }
  input AgentFilter { name: String }
  type Agent {
    pda: Pubkey! owner: Pubkey! name: String! tier: Tier! status: AgentStatus! service_category: ServiceCategory!
    reputation_score: Int! capabilities: Float! version: String! agent_card_url: String! card_hash_mismatch: Boolean!
    created_at: String! updated_at: String! name_similarity: Float
  }
  type AgentPage { total: Int! limit: Int! offset: Int! agents: [Agent!]! }
  type Query {
    agentsPage(filter: AgentFilter, limit: Int = 50, offset: Int = 0): AgentPage!
    agent(pda: Pubkey!): Agent
  }`

/** Writes the texts of the database as names. */
function named(texts: readonly string[]) {
  const names = new Map(texts.map((text) => [text, enumName(text)]))
  return { serialize: (text: string) => names.get(text) }
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
      agentsPage: (_: unknown, args: { filter?: { name?: string }; limit: number; offset: number }) =>
        reads.list(args.limit, args.offset, args.filter?.name),
      agent: (_: unknown, { pda }: { pda: string }) => reads.one(pda),
    },
    Tier: named(TIERS),
    AgentStatus: named(AGENT_STATUSES),
    ServiceCategory: named(SERVICE_CATEGORIES),
  },
  // Compiles a document at its second use.
  jit: 1,
  graphiql: false,
})
serveMeasured(Number(new URL(await app.listen({ port: 0 })).port))
