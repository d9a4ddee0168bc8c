import { useQuery } from 'urql'
import { useSearchParams } from 'wouter'
import {
  Address,
  Button,
  ButtonLink,
  type Column,
  Empty,
  ErrorState,
  Link,
  Loading,
  Page,
  Pager,
  RelativeTime,
  ShowRequest,
  Status,
  Table,
  words,
} from '../../ui/index.ts'
import { Filters } from './filter-bar.tsx'
import { readFilters, withFilter } from './filters.ts'
import { AgentsDocument, type AgentsQuery } from './page.generated.ts'
import css from './page.module.css'
import { Mismatched, Totals } from './totals.tsx'

type Agent = AgentsQuery['agents']['nodes'][number]

const COLUMNS: readonly Column<Agent>[] = [
  {
    title: 'Agent',
    cell: ({ pda, name }) => (
      <span className={css.name}>
        <Link href={`/agents/${pda}`}>{name}</Link>
        <Address value={pda} label="agent address" />
      </span>
    ),
  },
  { title: 'Category', cell: ({ serviceCategory }) => words(serviceCategory) },
  { title: 'Tier', cell: ({ tier }) => words(tier) },
  { title: 'Status', cell: ({ status }) => <Status value={status} /> },
  { title: 'Registered', cell: ({ createdAt }) => <RelativeTime value={createdAt} /> },
  { title: 'Reputation', cell: ({ reputationScore }) => reputationScore.toLocaleString('en'), align: 'end' },
]

const EXAMPLE = `for await (const agent of registry.agents.list({ sort: 'reputation' }))
  console.log(agent.name, agent.reputation_score)`

export default function AgentsPage() {
  const [search, setSearch] = useSearchParams()
  const variables = readFilters(search)
  const [{ data, error, fetching }, refetch] = useQuery({ query: AgentsDocument, variables })
  const reset = (): void => setSearch(new URLSearchParams())
  const list = data?.agents
  const page =
    (name: 'after' | 'before', cursor: string | null | undefined): (() => void) =>
    () =>
      setSearch(withFilter(search, { [name]: cursor ?? '' }))
  return (
    <Page
      title="Agents"
      lead="AI agents that are registered on Solana: what they do, how much they staked, and how they behaved."
      actions={
        <>
          <ShowRequest document={AgentsDocument} variables={variables} client={EXAMPLE} />
          <ButtonLink to="/register" look="primary">
            Register an agent
          </ButtonLink>
        </>
      }
    >
      <Totals search={search} onChange={(changes) => setSearch(withFilter(search, changes))} />
      <Filters
        search={search}
        onChange={(changes) => setSearch((now) => withFilter(now, changes), { replace: true })}
      />
      {error !== undefined ? (
        <ErrorState error={error} retry={() => refetch({ requestPolicy: 'network-only' })}>
          <Button onClick={reset}>Show all agents</Button>
        </ErrorState>
      ) : list === undefined ? (
        <Loading rows={12} label="Loading agents" />
      ) : list.nodes.length === 0 ? (
        <Empty title="No agent matches">
          <p>Try a shorter name, or remove a filter.</p>
          <Button onClick={reset}>Show all agents</Button>
        </Empty>
      ) : (
        <div className={css.list}>
          <Table
            caption="Agents"
            columns={COLUMNS}
            rows={list.nodes}
            keyOf={({ pda }) => pda}
            stale={fetching}
          />
          <Pager
            text={list.totalCount === 1 ? '1 agent' : `${list.totalCount.toLocaleString('en')} agents`}
            previous={list.pageInfo.hasPreviousPage ? page('before', list.pageInfo.startCursor) : null}
            next={list.pageInfo.hasNextPage ? page('after', list.pageInfo.endCursor) : null}
          />
        </div>
      )}
      <Mismatched search={search} onChange={(changes) => setSearch(withFilter(search, changes))} />
    </Page>
  )
}
