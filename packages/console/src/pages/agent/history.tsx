import { EventList } from '../../events/event-list.tsx'
import { AgentActivityDocument, type WebhookEventType } from '../../events/events.generated.ts'
import { DISTINCT_TYPES, STAKE_EVENT_TYPES } from '../../events/types.ts'
import type { Point } from '../../ui/chart.tsx'
import { Export } from '../../ui/export.tsx'
import { Chart, ChoiceSection, Pager, Section, usdc, usePlace } from '../../ui/index.ts'
import { Empty, Loaded, useRead } from '../../ui/reads.ts'
import { AgentChartsDocument, type AgentChartsQuery, ExportHistoryDocument } from './page.generated.ts'
import type { Agent } from './page.tsx'

const MOST = 200

export function Charts({ agent }: { readonly agent: Agent }) {
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
  const start = { time: createdAt, value: changes.at(-1)?.oldReputation ?? reputationScore }
  const points = changes.map(({ timestamp: time, newReputation }) => ({ time, value: newReputation ?? 0 }))
  return [...(changes.length === MOST ? [] : [start]), ...points.toReversed()]
}

function stakePoints({ createdAt }: Agent, { nodes, pageInfo }: AgentChartsQuery['registryEvents']): Point[] {
  const valueOf = (event: object) => ('depositedAmount' in event ? Number(event.depositedAmount) : 0)
  const points = nodes.map((event) => ({ time: event.timestamp, value: valueOf(event) }))
  return [...(pageInfo.hasNextPage ? [] : [{ time: createdAt, value: 0 }]), ...points.toReversed()]
}

const PAGE_SIZE = 10
const KINDS: Record<string, { readonly label: string; readonly types: WebhookEventType[] }> = {
  all: { label: 'Everything', types: DISTINCT_TYPES },
  reputation: { label: 'Reputation', types: ['AGENT_REPUTATION_UPDATED'] },
  stake: { label: 'Stake and tier', types: [...STAKE_EVENT_TYPES, 'AGENT_TIER_UPDATED'] },
  metadata: { label: 'Metadata', types: ['AGENT_REGISTERED', 'AGENT_UPDATED'] },
  status: {
    label: 'Status',
    types: ['AGENT_SUSPENDED', 'AGENT_REACTIVATED', 'AGENT_DEACTIVATED', 'AGENT_CLOSED'],
  },
}

const OPTIONS = Object.entries(KINDS).map(([value, { label }]) => ({ value, label }))

/** What happened to the agent, newest first. It stays after the agent is closed. */
export const Activity = ({ pda }: { readonly pda: string }) => (
  <ChoiceSection title="History" label="Show" options={OPTIONS} initial="all">
    {(kind) => <Events key={kind} pda={pda} types={KINDS[kind]?.types ?? DISTINCT_TYPES} />}
  </ChoiceSection>
)

function Events({ pda, types }: { readonly pda: string; readonly types: WebhookEventType[] }) {
  const [place, setPlace] = usePlace(PAGE_SIZE)
  const variables = { filter: { agentPda: pda, types }, ...place }
  const read = useRead({ query: AgentActivityDocument, variables })
  return (
    <Loaded read={read} data={read.data?.registryEvents} rows={5} label="Loading the history">
      {({ nodes, pageInfo }) =>
        nodes.length === 0 ? (
          <Empty title="Nothing of this kind happened" />
        ) : (
          <>
            <EventList label="History" events={nodes} />
            <Pager text="Newest first" page={pageInfo} onMove={setPlace}>
              <Export name="whole history" query={ExportHistoryDocument} variables={{ pda }} />
            </Pager>
          </>
        )
      }
    </Loaded>
  )
}
