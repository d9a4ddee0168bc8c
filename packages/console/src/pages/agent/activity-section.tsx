import { useState } from 'react'
import { useClient } from 'urql'
import { EventList } from '../../events/event-list.tsx'
import { AgentActivityDocument, type WebhookEventType } from '../../events/events.generated.ts'
import { DISTINCT_TYPES, STAKE_EVENT_TYPES } from '../../events/types.ts'
import { ChoiceSection, Empty, Loaded, Pager, useRead } from '../../ui/index.ts'
import { Export } from '../../ui/export.tsx'
import { ExportHistoryDocument } from './page.generated.ts'

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
type Span = { first: number; after?: string } | { last: number; before: string }

const OPTIONS = Object.entries(KINDS).map(([value, { label }]) => ({ value, label }))

/** What happened to the agent, newest first. It stays after the agent is closed. */
export const ActivitySection = ({ pda }: { readonly pda: string }) => (
  <ChoiceSection title="History" label="Show" options={OPTIONS} initial="all">
    {(kind) => <Activity key={kind} pda={pda} types={KINDS[kind]?.types ?? DISTINCT_TYPES} />}
  </ChoiceSection>
)

function Activity({ pda, types }: { readonly pda: string; readonly types: WebhookEventType[] }) {
  const [span, setSpan] = useState<Span>({ first: PAGE_SIZE })
  const variables = { filter: { agentPda: pda, types }, ...span }
  const read = useRead({ query: AgentActivityDocument, variables })
  const client = useClient()
  const readAll = async (after: string | null) => {
    const result = await client
      .query(ExportHistoryDocument, { pda, after }, { requestPolicy: 'network-only' })
      .toPromise()
    const history = result.data?.agentHistory
    if (!history) throw result.error
    const { nodes, pageInfo } = history
    return { rows: nodes, next: pageInfo.hasNextPage ? pageInfo.endCursor : null }
  }
  return (
    <Loaded read={read} data={read.data?.registryEvents} rows={5} label="Loading the history">
      {({ nodes, pageInfo: { hasPreviousPage, hasNextPage, startCursor, endCursor } }) =>
        nodes.length === 0 ? (
          <Empty title="Nothing of this kind happened" />
        ) : (
          <>
            <EventList label="History" events={nodes} />
            <Export name="whole history" read={readAll} />
            {(hasPreviousPage || hasNextPage) && (
              <Pager
                text="Newest first"
                previous={hasPreviousPage ? () => setSpan({ last: PAGE_SIZE, before: startCursor! }) : null}
                next={hasNextPage ? () => setSpan({ first: PAGE_SIZE, after: endCursor! }) : null}
              />
            )}
          </>
        )
      }
    </Loaded>
  )
}
