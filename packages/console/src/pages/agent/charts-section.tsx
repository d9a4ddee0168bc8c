import { useQuery } from 'urql'
import { STAKE_EVENT_TYPES } from '../../events/types.ts'
import type { ChartProps, Point } from '../../ui/chart.tsx'
import { ErrorState, Loading, Section, useLazy } from '../../ui/index.ts'
import type { Agent } from './agent.ts'
import { AgentChartsDocument, type AgentChartsQuery } from './page.generated.ts'
import css from './page.module.css'

const loadChart = () => import('../../ui/chart.tsx')
const MOST = 200

/** Reputation and stake over time. */
export function ChartsSection({ agent }: { readonly agent: Agent }) {
  const variables = { pda: agent.pda, stakeTypes: STAKE_EVENT_TYPES }
  const [{ data, error }, refetch] = useQuery({ query: AgentChartsDocument, variables })
  const retry = (): void => refetch({ requestPolicy: 'network-only' })
  const reputation = data?.agentHistory?.history
  const stakes = data?.registryEventsConnection
  return (
    <>
      <Section title="Reputation over time" aside={<Now value={`${agent.reputationScore} of 1,000`} />}>
        {error !== undefined ? (
          <ErrorState error={error} retry={retry} />
        ) : reputation === undefined ? (
          <Loading rows={3} label="Loading the reputation" />
        ) : (
          <>
            <LazyChart title="Reputation" points={reputationPoints(agent, reputation)} max={1_000} />
            <p className={css.hint}>
              {reputation.length === 0
                ? 'No report changed the reputation so far. Every agent starts with 250.'
                : 'Reports on the behaviour of the agent change it. Every agent starts with 250.'}
              {data!.agentHistory!.total > MOST && ` The chart shows the last ${MOST} changes.`}
            </p>
          </>
        )}
      </Section>
      {stakes !== undefined && stakes.edges.length > 0 && (
        <Section title="Stake over time" aside={<Now value="in USDC" />}>
          <LazyChart
            title="Stake in USDC"
            points={stakePoints(agent, stakes)}
            format={(value) => value.toLocaleString('en', { maximumFractionDigits: 6 })}
          />
          {stakes.pageInfo.hasNextPage && (
            <p className={css.hint}>The chart shows the last {MOST} changes.</p>
          )}
        </Section>
      )}
    </>
  )
}

const Now = ({ value }: { readonly value: string }) => <span className={css.hint}>{value}</span>

function LazyChart(props: ChartProps) {
  const chart = useLazy(loadChart)
  return chart === null ? <Loading rows={3} label="Loading the chart" /> : <chart.default {...props} />
}

type Changes = NonNullable<AgentChartsQuery['agentHistory']>['history']

function reputationPoints({ createdAt, reputationScore }: Agent, changes: Changes): Point[] {
  const oldest = changes.at(-1)
  const start = { time: createdAt, value: oldest?.oldReputation ?? reputationScore }
  const points = changes.map(({ timestamp, newReputation }) => ({
    time: timestamp,
    value: newReputation ?? 0,
  }))
  return [...(changes.length === MOST ? [] : [start]), ...points.toReversed()]
}

function stakePoints(
  { createdAt }: Agent,
  { edges, pageInfo }: AgentChartsQuery['registryEventsConnection'],
): Point[] {
  const points = edges.map(({ node }) => ({
    time: node.timestamp,
    value: ((node.data as { depositedAmount?: number }).depositedAmount ?? 0) / 1e6,
  }))
  return [...(pageInfo.hasNextPage ? [] : [{ time: createdAt, value: 0 }]), ...points.toReversed()]
}
