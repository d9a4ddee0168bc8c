import { useState } from 'react'
import { EventList } from '../../events/event-list.tsx'
import { AgentActivityDocument, type WebhookEventType } from '../../events/events.generated.ts'
import { DISTINCT_TYPES, STAKE_EVENT_TYPES } from '../../events/types.ts'
import { ChoiceSection, Empty, Loaded, Pager, useRead, pagerActions } from '../../ui/index.ts'
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

const OPTIONS = Object.entries(KINDS).map(([value, { label }]) => ({ value, label }))

/** What happened to the agent, newest first. It stays after the agent is closed. */
export const ActivitySection = ({ pda }: { readonly pda: string }) => (
  <ChoiceSection title="History" label="Show" options={OPTIONS} initial="all">
    {(kind) => <Activity key={kind} pda={pda} types={KINDS[kind]?.types ?? DISTINCT_TYPES} />}
  </ChoiceSection>
)

function Activity({ pda, types }: { readonly pda: string; readonly types: WebhookEventType[] }) {
  const [place, setPlace] = useState<{ before: string } | { after?: string }>({})
  const size = 'before' in place ? { last: PAGE_SIZE } : { first: PAGE_SIZE }
  const variables = { filter: { agentPda: pda, types }, ...size, ...place }
  const read = useRead({ query: AgentActivityDocument, variables })
  return (
    <Loaded read={read} data={read.data?.registryEvents} rows={5} label="Loading the history">
      {({ nodes, pageInfo }) =>
        nodes.length === 0 ? (
          <Empty title="Nothing of this kind happened" />
        ) : (
          <>
            <EventList label="History" events={nodes} />
            <Pager text="Newest first" {...pagerActions(pageInfo, setPlace)}>
              <Export name="whole history" query={ExportHistoryDocument} variables={{ pda }} />
            </Pager>
          </>
        )
      }
    </Loaded>
  )
}
