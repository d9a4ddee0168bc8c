import { useSearchParams } from 'wouter'
import { readError } from '../../api/errors.ts'
import { Button, ButtonLink, type Columns, Page, Pager, Table } from '../../ui/index.ts'
import { Empty, ErrorState, Loading, useRead } from '../../ui/reads.ts'
import { Address, Link, plural, RelativeTime, Status, Tier, withCommas, words } from '../../ui/values.ts'
import { Export } from '../../ui/export.tsx'
import { Filters, Mismatched, Totals } from './filter-bar.tsx'
import { readFilters, type SortField, sortedBy, withFilter } from './filters.ts'
import { AgentsDocument, type AgentsQuery, type AgentsQueryVariables } from './page.generated.ts'

type Agent = AgentsQuery['agents']['nodes'][number]

const COLUMNS: Columns<Agent> = {
  Agent: ({ pda, name }) => (
    <span className="lines">
      <Link className="plain" href={`/agents/${pda}`}>
        {name}
      </Link>
      <Address value={pda} label="agent address" />
    </span>
  ),
  Category: ({ serviceCategory }) => words(serviceCategory),
  Tier: ({ tier }) => <Tier value={tier} />,
  Status: ({ status }) => <Status value={status} />,
  Registered: ({ createdAt }) => <RelativeTime value={createdAt} />,
  Reputation: ({ reputationScore }) => withCommas(reputationScore),
}

/**
 * Searches words. A gateway whose names are not in memory searches for similar names, as the
 * contract does.
 */
function useAgents(variables: AgentsQueryVariables) {
  // Back to a page that was read, without another request: events say what is old.
  const requestPolicy = 'cache-first'
  const byWords = useRead({ query: AgentsDocument, variables, requestPolicy })
  const { words: name, ...filter } = variables.filter ?? {}
  const isUnready = byWords.error !== undefined && readError(byWords.error).code === 'WORDS_NOT_READY'
  const byName = useRead({
    query: AgentsDocument,
    variables: { ...variables, filter: { ...filter, name } },
    pause: !isUnready,
    requestPolicy,
  })
  return isUnready ? byName : byWords
}

const ORDERS = { ASC: 'ascending', DESC: 'descending' } as const

/** The searched words, if the best matches are shown. */
const searchedOf = ({ filter, orderBy, after, before }: AgentsQueryVariables): string | null =>
  orderBy || after || before ? null : (filter?.words ?? null)

/** Whether a name lacks one of the searched words. */
const isOnlySimilar = (searched: string, { name }: Agent): boolean =>
  searched.split(' ').some((word) => !name.toLowerCase().includes(word.toLowerCase()))

const EXAMPLE = `for await (const agent of registry.agents.list({ sort: 'reputation' }))
  console.log(agent.name, agent.reputation_score)`

export default function AgentsPage() {
  const [search, setSearch] = useSearchParams()
  const variables = readFilters(search)
  const { data, error, fetching, again } = useAgents(variables)
  const { filter, orderBy } = variables
  const searched = searchedOf(variables)
  const change = (changes: Record<string, string>): void => setSearch(withFilter(search, changes))
  const showAll = <Button onClick={() => setSearch(new URLSearchParams())}>Show all agents</Button>
  const list = data?.agents
  const sortOf = (sort: SortField) => ({
    order: orderBy?.field === sort ? ORDERS[orderBy.direction ?? 'DESC'] : undefined,
    change: () => change(sortedBy(sort, search)),
  })
  const sorts = { Agent: sortOf('NAME'), Registered: sortOf('CREATED_AT'), Reputation: sortOf('REPUTATION') }
  return (
    <Page
      title="Agents"
      lead="Search, filter and sort the agents of the registry."
      request={{ document: AgentsDocument, variables, client: EXAMPLE }}
      actions={
        <ButtonLink to="/register" look="primary">
          Register an agent
        </ButtonLink>
      }
    >
      <div className="stack">
        <Totals search={search} onChange={change} />
        <Filters
          search={search}
          onChange={(changes) => setSearch((now) => withFilter(now, changes), { replace: true })}
        />
        {error !== undefined ? (
          <ErrorState error={error} retry={again}>
            {showAll}
          </ErrorState>
        ) : list === undefined ? (
          <Loading rows={12} label="Loading agents" />
        ) : list.nodes.length === 0 ? (
          <Empty title="No agent matches">
            <p>Try a shorter name, or remove a filter.</p>
            {showAll}
          </Empty>
        ) : (
          <>
            {searched !== null && list.nodes.every((each) => isOnlySimilar(searched, each)) && (
              <p>No name has “{searched}”. Did you mean one of these?</p>
            )}
            <Table
              caption="Agents"
              columns={COLUMNS}
              numbers={['Reputation']}
              sorts={sorts}
              rows={list.nodes}
              keyOf={({ pda }) => pda}
              stale={fetching}
            />
            <Pager text={plural(list.totalCount, 'agent')} page={list.pageInfo} onMove={change}>
              <Export name="agents" query={AgentsDocument} variables={{ filter, orderBy }} />
            </Pager>
          </>
        )}
        <Mismatched search={search} onChange={change} />
      </div>
    </Page>
  )
}
