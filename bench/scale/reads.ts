import { LONG_HISTORY } from './dataset.ts'

export interface SampleAgent {
  readonly pda: string
  readonly owner: string
  readonly name: string
}

/** A read, and the requests for it, which are sent in turn. */
export interface Read {
  readonly name: string
  readonly paths: readonly string[]
  /** Sent with POST in place of GET. */
  readonly body?: string
}

const STATS = `{ registryStats { agents mismatchedAgents stakes depositedAmount byTier { tier agents } byStatus { status agents }
  byCategory { category agents } } }`

const FIELDS = `pda owner name tier status serviceCategory reputationScore capabilities version agentCardUrl cardHashMismatch
  createdAt updatedAt`
const NODES = `nodes { ${FIELDS} }`

const TEN_LISTS = [
  'tier=premium',
  'status=suspended',
  'category=logistics',
  'tier=basic&status=active',
  'tier=standard&category=research',
  'sort=reputation',
  'sort=reputation&tier=observer',
  'sort=reputation&status=active&category=commerce',
  'offset=350',
  'offset=1000&category=financial',
]

/** Every read whose cost could grow with the registry. `cursor` is one of all agents. */
export function readsOf(
  samples: readonly SampleAgent[],
  agents: number,
  longHistory: string,
  cursor: string,
): Read[] {
  const filtered = (name: string, query: string): Read => ({ name, paths: [`/agents?${query}`] })
  const each = (name: string, path: (sample: SampleAgent) => string): Read => ({
    name,
    paths: samples.map(path),
  })
  const search = ({ name }: SampleAgent): string => `/agents?name=${encodeURIComponent(name)}`
  const history = `/agents/${longHistory}/history?limit=50`
  const query = (name: string, text: string): Read => ({
    name,
    paths: ['/graphql'],
    body: JSON.stringify({ query: text }),
  })
  return [
    filtered('list of 50', 'limit=50'),
    filtered('list of 50 from the middle', `limit=50&offset=${Math.floor(agents / 2)}`),
    each('one agent', ({ pda }) => `/agents/${pda}`),
    each('filter by owner', ({ owner }) => `/agents?owner=${owner}`),
    filtered('filter by tier', 'tier=premium'),
    filtered('filter by status', 'status=suspended'),
    filtered('filter by category', 'category=logistics'),
    filtered('filter by reputation', 'min_reputation=400&max_reputation=600'),
    filtered('include mismatched', 'include_mismatched=true'),
    filtered('four filters', 'tier=premium&status=suspended&category=logistics&min_reputation=900'),
    filtered('sort by reputation', 'sort=reputation&order=asc'),
    filtered('sort by name', 'sort=name&order=asc'),
    filtered('two filters, by reputation', 'tier=premium&category=logistics&sort=reputation'),
    filtered('offset 5,000', 'limit=50&offset=5000'),
    { name: 'ten kinds of lists', paths: TEN_LISTS.map((list) => `/agents?limit=50&${list}`) },
    query('connection page', `{ agents(first: 50, after: "${cursor}") { ${NODES} pageInfo { endCursor } } }`),
    query(
      'list with stakes',
      `{ agentsPage(limit: 50) { total agents { ${FIELDS} stake { depositedAmount } } } }`,
    ),
    each('search by name', search),
    each('search with a filter', (sample) => `${search(sample)}&tier=premium`),
    each('history of an agent', ({ pda }) => `/agents/${pda}/history`),
    { name: `history of ${LONG_HISTORY} entries, first page`, paths: [history] },
    {
      name: `history of ${LONG_HISTORY} entries, last page`,
      paths: [`${history}&offset=${LONG_HISTORY - 50}`],
    },
    { name: 'list of stakes', paths: ['/stakes?limit=50'] },
    query('statistics', STATS),
  ]
}
