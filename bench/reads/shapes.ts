import type { Variant } from './variants.ts'

const SEARCHED = 'Wether Scot a1b'

/** One documented read, in the form of each variant. */
export interface Shape {
  readonly name: string
  /** Path of the gateway and of the hand-written routes. */
  readonly path: string
  readonly query: string
  /** Converts PostGraphile's response to the documented form. */
  readonly fromGraphql: (data: Record<string, unknown>) => unknown
}

export interface Request {
  readonly url: string
  readonly method: 'GET' | 'POST'
  readonly headers: Record<string, string>
  readonly body?: string
}

const FIELDS = `pda owner name tier status service_category: serviceCategory reputation_score: reputationScore capabilities version
  agent_card_url: agentCardUrl card_hash_mismatch: cardHashMismatch created_at: createdAt updated_at: updatedAt`

type Agent = Record<string, unknown>

export const shapesFor = (pda: string): Shape[] => [
  {
    name: 'list of 50',
    path: '/agents?limit=50',
    query: `{ total: listedAgentsTotal
      list: allListedAgents(first: 50, orderBy: [CREATED_AT_DESC, PDA_ASC]) { nodes { ${FIELDS} } } }`,
    fromGraphql: ({ total, list }) => page(total, (list as { nodes: Agent[] }).nodes),
  },
  {
    name: 'one agent',
    path: `/agents/${pda}`,
    query: `{ agent: agentByPda(pda: "${pda}") { ${FIELDS} } }`,
    fromGraphql: ({ agent }) => agentOf(agent as Agent),
  },
  {
    name: 'search by name',
    path: `/agents?name=${SEARCHED.replaceAll(' ', '+')}&limit=50`,
    query: `{ found: searchAgents(query: "${SEARCHED}", pageLimit: 50, pageOffset: 0) {
      nodes { total ${FIELDS} name_similarity: nameSimilarity } } }`,
    fromGraphql: ({ found }) => {
      const { nodes } = found as { nodes: (Agent & { total: string })[] }
      return page(
        nodes[0]?.total ?? 0,
        nodes.map(({ total: _total, ...agent }) => agent),
      )
    },
  },
]

export function requestOf({ path, query }: Shape, variant: Variant, port: number): Request {
  const origin = `http://127.0.0.1:${port}`
  if (variant !== 'postgraphile') return { url: origin + path, method: 'GET', headers: {} }
  return {
    url: `${origin}/graphql`,
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ query: query.replaceAll(/\s+/g, ' ') }),
  }
}

/** The response of a variant in the documented form. */
export async function answerOf(shape: Shape, variant: Variant, port: number): Promise<unknown> {
  const { url, ...init } = requestOf(shape, variant, port)
  const response = await fetch(url, init)
  if (response.status !== 200)
    throw new Error(`${variant} answered ${response.status}: ${await response.text()}`)
  const body: unknown = await response.json()
  return variant === 'postgraphile'
    ? shape.fromGraphql((body as { data: Record<string, unknown> }).data)
    : body
}

function page(total: unknown, agents: Agent[]): unknown {
  return { total: Number(total), limit: 50, offset: 0, agents: agents.map(agentOf) }
}

/** PostGraphile writes numeric as text, and times with microseconds and an offset. */
function agentOf(agent: Agent): Agent {
  const time = (name: string) => new Date(String(agent[name])).toISOString()
  return {
    ...agent,
    capabilities: Number(agent['capabilities']),
    created_at: time('created_at'),
    updated_at: time('updated_at'),
  }
}
