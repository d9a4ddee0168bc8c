import { enumName } from '../../schema/enum-values.ts'
import type { Agent, AgentPage, FILTERS, List } from './raw-reads.ts'
import type { Variant } from './variants.ts'

const SEARCHED = 'Wether Scot a1b'

type Data = Record<string, unknown>
type GraphqlVariant = Exclude<Variant, 'rest' | 'raw' | 'memory'>

/** A GraphQL document, and how to convert the response to the form of the REST API. */
interface Operation {
  readonly query: string
  readonly fromData: (data: Data, turn: Turn) => unknown
}

/** One of the requests of a shape, which are sent in turn. */
interface Turn {
  /** Of the REST API and the hand-written routes. Null if they have no such read. */
  readonly path: string | null
  readonly variables: Data
  /** Other names than the documents of the others have. */
  readonly postgraphile?: Data
}

/** One documented read, in the form of each variant. */
export interface Shape {
  readonly name: string
  readonly variants: readonly Variant[]
  readonly turns: readonly Turn[]
  readonly operations: Readonly<Record<GraphqlVariant, Operation>>
}

export interface Request {
  readonly path: string
  readonly method: 'GET' | 'POST'
  readonly headers: Record<string, string>
  readonly body?: string
}

const FIELDS = `pda owner name tier status service_category: serviceCategory reputation_score: reputationScore capabilities version
  agent_card_url: agentCardUrl card_hash_mismatch: cardHashMismatch created_at: createdAt updated_at: updatedAt`
const SIMILARITY = 'name_similarity: nameSimilarity'
const STAKE = 'deposited_amount: depositedAmount locked_amount: lockedAmount'
const PAGE_INFO = 'pageInfo { endCursor hasNextPage }'

const GRAPHQL: readonly Variant[] = ['graphql', 'postgraphile', 'mercurius']
const ALL: readonly Variant[] = ['rest', 'raw', 'memory', ...GRAPHQL]

/** Ten kinds of lists. */
const LISTS: readonly List[] = [
  { tier: 'premium' },
  { status: 'suspended' },
  { category: 'logistics' },
  { tier: 'basic', status: 'active' },
  { tier: 'standard', category: 'research' },
  { sort: 'reputation' },
  { sort: 'reputation', tier: 'observer' },
  { sort: 'reputation', status: 'active', category: 'commerce' },
  { offset: 350 },
  { offset: 1_000, category: 'financial' },
]

/** The list of agents with these filters, orders and offsets. */
function lists(name: string, wanted: readonly List[], nested = ''): Shape {
  const order = '[ListedAgentOrderBy!] = [CREATED_AT_DESC, PDA_ASC]'
  const inner = nested === '' ? '' : `stake { ${nested} }`
  return {
    name,
    variants: nested === '' ? ALL : GRAPHQL,
    turns: wanted.map(turnOf),
    operations: {
      ...written(
        `query ($filter: AgentFilter, $orderBy: AgentOrder, $offset: Int) {
          page: agentsPage(filter: $filter, orderBy: $orderBy, offset: $offset, limit: 50) {
            total limit offset agents { ${FIELDS} ${inner} } } }`,
        pageIn,
      ),
      postgraphile: {
        query: `query ($condition: ListedAgentCondition, $orderBy: ${order}, $offset: Int, $ofTier: String, $ofStatus: String, $ofCategory: String) {
          total: listedAgentsTotal(ofTier: $ofTier, ofStatus: $ofStatus, ofCategory: $ofCategory)
          list: allListedAgents(condition: $condition, first: 50, offset: $offset, orderBy: $orderBy) {
            nodes { ${FIELDS} ${inner.replace('stake', 'stake: stakeByAgentPda')} } } }`,
        fromData: ({ total, list }, { variables }) => ({
          ...pageOf(total, (list as { nodes: Agent[] }).nodes),
          offset: variables['offset'],
        }),
      },
    },
  }
}

function turnOf({ sort, offset = 0, ...filters }: List): Turn {
  const entries = Object.entries(filters) as [keyof typeof FILTERS, string][]
  const query = new URLSearchParams({ ...filters, limit: '50' })
  if (sort !== undefined) query.set('sort', sort)
  if (offset > 0) query.set('offset', String(offset))
  const named = Object.fromEntries(entries.map(([name, value]) => [name, enumName(value)]))
  const condition = { ...filters, category: undefined, serviceCategory: filters.category }
  const totals = Object.fromEntries(
    entries.map(([name, value]) => [`of${name[0]?.toUpperCase()}${name.slice(1)}`, value]),
  )
  return {
    path: `/agents?${query}`,
    variables: { filter: named, ...(sort && { orderBy: { field: 'REPUTATION' } }), offset },
    postgraphile: {
      condition,
      offset,
      ...(sort && { orderBy: ['REPUTATION_SCORE_DESC', 'PDA_ASC'] }),
      ...totals,
    },
  }
}

/** The page after the first one. `cursors` are those of the variants. */
const connection: Shape = {
  name: 'connection page',
  variants: GRAPHQL,
  turns: [{ path: null, variables: {} }],
  operations: {
    ...written(
      `query ($after: String) { list: agents(first: 50, after: $after) { nodes { ${FIELDS} } ${PAGE_INFO} } }`,
      connectionIn,
    ),
    postgraphile: {
      query: `query ($after: Cursor) {
        list: allListedAgents(first: 50, after: $after, orderBy: [CREATED_AT_DESC, PDA_ASC]) { nodes { ${FIELDS} } ${PAGE_INFO} } }`,
      fromData: connectionIn,
    },
  },
}

function connectionIn({ list }: Data): unknown {
  const { nodes, pageInfo } = list as { nodes: Agent[]; pageInfo: { hasNextPage: boolean } }
  return { agents: nodes.map(agentOf), hasNextPage: pageInfo.hasNextPage }
}

export const shapesFor = (pda: string): Shape[] => [
  lists('list of 50', [{}]),
  {
    name: 'one agent',
    variants: ALL,
    turns: [{ path: `/agents/${pda}`, variables: { pda } }],
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
    variants: ALL.filter((variant) => variant !== 'memory'),
    turns: [
      { path: `/agents?name=${SEARCHED.replaceAll(' ', '+')}&limit=50`, variables: { name: SEARCHED } },
    ],
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
  lists('two filters, by reputation', [{ tier: 'premium', category: 'logistics', sort: 'reputation' }]),
  lists('offset 5,000', [{ offset: 5_000 }]),
  lists('ten kinds of lists', LISTS),
  lists('list of 50 with stakes', [{}], STAKE),
  connection,
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

const isGraphql = (variant: Variant): variant is GraphqlVariant => GRAPHQL.includes(variant)

/** The requests of a shape for a variant. `after` is a cursor of the variant. */
export function requestsOf({ turns, operations }: Shape, variant: Variant, after: string | null): Request[] {
  if (!isGraphql(variant)) return turns.map(({ path }) => ({ path: path ?? '', method: 'GET', headers: {} }))
  const query = operations[variant].query.replaceAll(/\s+/g, ' ')
  return turns.map(({ variables, postgraphile }) => {
    const given = (variant === 'postgraphile' ? postgraphile : undefined) ?? variables
    return {
      path: '/graphql',
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ query, variables: { ...given, ...(after !== null && { after }) } }),
    }
  })
}

/** The responses of a variant in the form of the REST API, and the last cursor. */
export async function answersOf(shape: Shape, variant: Variant, port: number, after: string | null) {
  const answers: unknown[] = []
  let cursor: string | null = null
  for (const [i, { path, ...init }] of requestsOf(shape, variant, after).entries()) {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, init)
    const text = await response.text()
    if (response.status !== 200) throw new Error(`${variant} answered ${response.status}: ${text}`)
    const body = JSON.parse(text) as { data: Data; errors?: unknown }
    if (body.errors !== undefined) throw new Error(`${variant} answered ${text}`)
    answers.push(isGraphql(variant) ? shape.operations[variant].fromData(body.data, shape.turns[i]!) : body)
    cursor = /"endCursor":"(.*?)"/.exec(text)?.[1] ?? null
  }
  return { answers, cursor }
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
    ...(agent['stake'] !== undefined && { stake: stakeOf(agent['stake'] as Agent | null) }),
  }
}

const stakeOf = (stake: Agent | null) =>
  stake && Object.fromEntries(Object.entries(stake).map(([name, amount]) => [name, String(amount)]))

/** DATA_ANALYSIS as dataAnalysis. Other texts stay. */
function wordOf(text: string): string {
  if (!/^[A-Z_]+$/.test(text)) return text
  return text.toLowerCase().replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())
}
