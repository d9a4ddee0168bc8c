import { useState } from 'react'
import { EventList } from '../../events/event-list.tsx'
import { AgentActivityDocument, type WebhookEventType } from '../../events/events.generated.ts'
import { DISTINCT_TYPES, STAKE_EVENT_TYPES } from '../../events/types.ts'
import { Empty, Loaded, Pager, Section, Select, useRead } from '../../ui/index.ts'
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

/** What happened to the agent, newest first. It stays after the agent is closed. */
export function ActivitySection({ pda }: { readonly pda: string }) {
  const [kind, setKind] = useState('all')
  const [span, setSpan] = useState<Span>({ first: PAGE_SIZE })
  const types = KINDS[kind]?.types ?? DISTINCT_TYPES
  const variables = { filter: { agentPda: pda, types }, ...span }
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
            setSpan({ first: PAGE_SIZE })
          }}
        />
      }
    >
      <Loaded read={read} data={read.data?.registryEvents} rows={5} label="Loading the history">
        {({ nodes, pageInfo: { hasPreviousPage, hasNextPage, startCursor, endCursor } }) =>
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
              {(hasPreviousPage || hasNextPage) && (
                <Pager
                  text="Newest first"
                  previous={
                    hasPreviousPage && startCursor !== null
                      ? () => setSpan({ last: PAGE_SIZE, before: startCursor })
                      : null
                  }
                  next={
                    hasNextPage && endCursor !== null
                      ? () => setSpan({ first: PAGE_SIZE, after: endCursor })
                      : null
                  }
                />
              )}
            </>
          )
        }
      </Loaded>
    </Section>
  )
}
