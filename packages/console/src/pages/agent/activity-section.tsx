import { useState } from 'react'
import { EventList } from '../../events/event-list.tsx'
import { AgentActivityDocument, type WebhookEventType } from '../../events/events.generated.ts'
import { DISTINCT_TYPES, STAKE_EVENT_TYPES } from '../../events/types.ts'
import { Empty, Loaded, Pager, Section, Select, useRead, ways } from '../../ui/index.ts'
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

/** What happened to the agent, newest first. It stays after the agent is closed. */
export function ActivitySection({ pda }: { readonly pda: string }) {
  const [kind, setKind] = useState('all')
  const [place, setPlace] = useState<{ before: string } | { after?: string }>({})
  const types = KINDS[kind]?.types ?? DISTINCT_TYPES
  const size = 'before' in place ? { last: PAGE_SIZE } : { first: PAGE_SIZE }
  const variables = { filter: { agentPda: pda, types }, ...size, ...place }
  const read = useRead({ query: AgentActivityDocument, variables })
  return (
    <Section
      title="History"
      aside={
        <Select
          label="Show"
          hideLabel
          options={Object.entries(KINDS).map(([value, { label }]) => ({ value, label }))}
          value={kind}
          onChange={({ target }) => {
            setKind(target.value)
            setPlace({})
          }}
        />
      }
    >
      <Loaded read={read} data={read.data?.registryEvents} rows={5} label="Loading the history">
        {({ nodes, pageInfo }) =>
          nodes.length === 0 ? (
            <Empty title="Nothing of this kind happened" />
          ) : (
            <>
              <EventList label="History" events={nodes} />
              <Export
                name="whole history"
                query={ExportHistoryDocument}
                variables={{ pda }}
                listOf={({ agentHistory }) => agentHistory}
              />
              {(pageInfo.hasPreviousPage || pageInfo.hasNextPage) && (
                <Pager text="Newest first" {...ways(pageInfo, setPlace)} />
              )}
            </>
          )
        }
      </Loaded>
    </Section>
  )
}
