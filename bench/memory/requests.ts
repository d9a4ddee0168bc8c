/** A request of the load. With a body it is a POST of JSON. */
export interface MemoryRequest {
  readonly path: string
  readonly body?: string
}

const WORDS = ['weather', 'market', 'cargo', 'legal', 'travel', 'health', 'energy', 'harbor']
const SORTS = ['created_at', 'reputation', 'name']
const FIELDS = 'pda owner name tier status serviceCategory reputationScore version agentCardUrl createdAt'
const LIST = `query ($limit: Int!, $offset: Int!) { agentsPage(limit: $limit, offset: $offset) { total agents { ${FIELDS} } } }`
const ONE = `query ($pda: Pubkey!) { agent(pda: $pda) { ${FIELDS} stake { depositedAmount } } }`
const SEARCH =
  'query ($word: String!) { agentsPage(filter: { name: $word }) { total agents { pda name nameSimilarity } } }'
const STATS = '{ registryStats { agents depositedAmount byTier { tier agents } } }'

/** Each kind of read in turn. The values vary. */
export function createRequests(agents: readonly { pda: string; owner: string }[]): () => MemoryRequest {
  let turn = 0
  return () => {
    turn += 1
    const { pda, owner } = agents[turn % agents.length]!
    const [limit, offset] = [1 + (turn % 200), (turn * 7) % 20]
    const word = WORDS[turn % WORDS.length]!
    const reads = [
      { path: `/agents?limit=${limit}&offset=${offset}&sort=${SORTS[turn % SORTS.length]}` },
      { path: `/agents/${pda}` },
      { path: `/agents?name=${word}+${(turn % 4_096).toString(16)}` },
      { path: `/agents/${pda}/history?limit=${limit}` },
      { path: `/stakes?limit=${limit}` },
      { path: `/did/did:sol:${owner}` },
      operation(LIST, { limit, offset }),
      operation(ONE, { pda }),
      operation(SEARCH, { word }),
      operation(STATS, {}),
    ]
    return reads[turn % reads.length]!
  }
}

const operation = (query: string, variables: object): MemoryRequest => ({
  path: '/graphql',
  body: JSON.stringify({ query, variables }),
})
