import type { Agent, AgentPage } from './raw-reads.ts'
import type { Variant } from './variants.ts'

const SEARCHED = 'Wether Scot a1b'

type Data = Record<string, unknown>

/** A GraphQL document, and how to convert the response to the form of the REST API. */
interface Operation {
  readonly query: string
  readonly fromData: (data: Data) => unknown
}

/** One documented read, in the form of each variant. */
export interface Shape {
  readonly name: string
  /** Path of the REST API and of the hand-written routes. */
  readonly path: string
  readonly variables: Record<string, string>
  readonly operations: Readonly<Record<Exclude<Variant, 'rest' | 'raw'>, Operation>>
}

export interface Request {
  readonly url: string
  readonly method: 'GET' | 'POST'
  readonly headers: Record<string, string>
  readonly body?: string
}

const FIELDS = `pda owner name tier status service_category: serviceCategory reputation_score: reputationScore capabilities version
  agent_card_url: agentCardUrl card_hash_mismatch: cardHashMismatch created_at: createdAt updated_at: updatedAt`
const SIMILARITY = 'name_similarity: nameSimilarity'

export const shapesFor = (pda: string): Shape[] => [
  {
    name: 'list of 50',
    path: '/agents?limit=50',
    variables: {},
    operations: {
      ...written(`query { page: agentsPage(limit: 50) { total limit offset agents { ${FIELDS} } } }`, pageIn),
      postgraphile: {
        query: `query { total: listedAgentsTotal
          list: allListedAgents(first: 50, orderBy: [CREATED_AT_DESC, PDA_ASC]) { nodes { ${FIELDS} } } }`,
        fromData: ({ total, list }) => pageOf(total, (list as { nodes: Agent[] }).nodes),
      },
    },
  },
  {
    name: 'one agent',
    path: `/agents/${pda}`,
    variables: { pda },
    operations: {
      ...written(`query ($pda: Pubkey!) { agent(pda: $pda) { ${FIELDS} } }`, agentIn),
      postgraphile: {
        query: `query ($pda: String!) { agent: agentByPda(pda: $pda) { ${FIELDS} } }`,
        fromData: agentIn,
      },
    },
  },
  {
    name: 'search by name',
    path: `/agents?name=${SEARCHED.replaceAll(' ', '+')}&limit=50`,
    variables: { name: SEARCHED },
    operations: {
      ...written(
        `query ($name: String!) { page: agentsPage(filter: { name: $name }, limit: 50) {
          total limit offset agents { ${FIELDS} ${SIMILARITY} } } }`,
        pageIn,
      ),
      postgraphile: {
        query: `query ($name: String!) { found: searchAgents(query: $name, pageLimit: 50, pageOffset: 0) {
          nodes { total ${FIELDS} ${SIMILARITY} } } }`,
        fromData: ({ found }) => {
          const { nodes } = found as { nodes: (Agent & { total: string })[] }
          return pageOf(
            nodes[0]?.total ?? 0,
            nodes.map(({ total: _total, ...agent }) => agent),
          )
        },
      },
    },
  },
]

const pageIn = ({ page }: Data): unknown => {
  const { total, limit, offset, agents } = page as AgentPage
  return { ...pageOf(total, agents), limit, offset }
}
const agentIn = ({ agent }: Data): unknown => agentOf(agent as Agent)

/** The document for our schema. The schema for Mercurius has the column names as field names. */
function written(query: string, fromData: Operation['fromData']): Record<'graphql' | 'mercurius', Operation> {
  const columns = query.replaceAll(/(\w+_\w+): \w+/g, '$1')
  return { graphql: { query, fromData }, mercurius: { query: columns, fromData } }
}

export function requestOf({ path, variables, operations }: Shape, variant: Variant, port: number): Request {
  const origin = `http://127.0.0.1:${port}`
  if (variant === 'rest' || variant === 'raw') return { url: origin + path, method: 'GET', headers: {} }
  const query = operations[variant].query.replaceAll(/\s+/g, ' ')
  return {
    url: `${origin}/graphql`,
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ query, variables }),
  }
}

/** The response of a variant in the form of the REST API. */
export async function answerOf(shape: Shape, variant: Variant, port: number): Promise<unknown> {
  const { url, ...init } = requestOf(shape, variant, port)
  const response = await fetch(url, init)
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${variant} answered ${response.status}: ${text}`)
  const body = JSON.parse(text) as { data: Data; errors?: unknown }
  if (variant === 'rest' || variant === 'raw') return body
  if (body.errors !== undefined) throw new Error(`${variant} answered ${text}`)
  return shape.operations[variant].fromData(body.data)
}

function pageOf(total: unknown, agents: Agent[]): AgentPage {
  return { total: Number(total), limit: 50, offset: 0, agents: agents.map(agentOf) }
}

/**
 * Ours and PostGraphile write 64-bit numbers as text. Ours and Mercurius write names of enums.
 * PostGraphile writes times with microseconds and an offset.
 */
function agentOf(agent: Agent): Agent {
  const time = (name: string) => new Date(String(agent[name])).toISOString()
  const word = (name: string) => wordOf(String(agent[name]))
  return {
    ...agent,
    tier: word('tier'),
    status: word('status'),
    service_category: word('service_category'),
    capabilities: Number(agent['capabilities']),
    created_at: time('created_at'),
    updated_at: time('updated_at'),
  }
}

/** DATA_ANALYSIS as dataAnalysis. Other texts stay. */
function wordOf(text: string): string {
  if (!/^[A-Z_]+$/.test(text)) return text
  return text.toLowerCase().replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())
}
