import { STAKE_EVENT_TYPES } from '../../events/types.ts'
import type { Point } from '../../ui/chart.tsx'
import { Chart, Loaded, Section, useRead, usdc } from '../../ui/index.ts'
import type { Agent } from './agent.ts'
import { AgentChartsDocument, type AgentChartsQuery } from './page.generated.ts'

const MOST = 200

/** Reputation and stake over time. */
export function ChartsSection({ agent }: { readonly agent: Agent }) {
  const { pda } = agent
  const variables = { pda, stakes: { agentPda: pda, types: STAKE_EVENT_TYPES } }
  const read = useRead({ query: AgentChartsDocument, variables })
  const { data } = read
  const stakes = data?.registryEvents
  return (
    <>
      <Section
        title="Reputation over time"
        aside={<span className="hint">{agent.reputationScore} of 1,000</span>}
      >
        <Loaded read={read} data={data?.agentHistory} rows={3} label="Loading the reputation">
          {({ nodes, pageInfo }) => (
            <>
              <Chart title="Reputation" points={reputationPoints(agent, nodes)} max={1_000} />
              <p className="hint">
                {nodes.length === 0
                  ? 'No report changed the reputation so far.'
                  : 'Reports on the behaviour of the agent change it.'}{' '}
                Every agent starts with 250.
                {pageInfo.hasNextPage && ` The chart shows the last ${MOST} changes.`}
              </p>
            </>
          )}
        </Loaded>
      </Section>
      {stakes !== undefined && stakes.nodes.length > 0 && (
        <Section title="Stake over time" aside={<span className="hint">in USDC</span>}>
          <Chart title="Stake in USDC" points={stakePoints(agent, stakes)} format={usdc} />
          {stakes.pageInfo.hasNextPage && <p className="hint">The chart shows the last {MOST} changes.</p>}
        </Section>
      )}
    </>
  )
}

type Changes = NonNullable<AgentChartsQuery['agentHistory']>['nodes']

function reputationPoints({ createdAt, reputationScore }: Agent, changes: Changes): Point[] {
  const oldest = changes.at(-1)
  const start = { time: createdAt, value: oldest?.oldReputation ?? reputationScore }
  const points = changes.map(({ timestamp, newReputation }) => ({
    time: timestamp,
    value: newReputation ?? 0,
  }))
  return [...(changes.length === MOST ? [] : [start]), ...points.toReversed()]
}

function stakePoints({ createdAt }: Agent, { nodes, pageInfo }: AgentChartsQuery['registryEvents']): Point[] {
  const points = nodes.map((event) => ({
    time: event.timestamp,
    value: 'depositedAmount' in event ? Number(event.depositedAmount) : 0,
  }))
  return [...(pageInfo.hasNextPage ? [] : [{ time: createdAt, value: 0 }]), ...points.toReversed()]
}
