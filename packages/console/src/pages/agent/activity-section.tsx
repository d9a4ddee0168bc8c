import { useState } from 'react'
import { useQuery } from 'urql'
import { EventList } from '../../events/event-list.tsx'
import { EVENT_TYPES, STAKE_EVENT_TYPES } from '../../events/types.ts'
import { Empty, ErrorState, Loading, Pager, Section, Select } from '../../ui/index.ts'
import { AgentActivityDocument } from './page.generated.ts'
import css from './page.module.css'

const PAGE_SIZE = 10
/** The specific event, such as suspended, follows a changed status. */
const TYPES = EVENT_TYPES.filter((type) => type !== 'agent.status_changed')
const KINDS: Record<string, { readonly label: string; readonly types: string[] }> = {
  all: { label: 'Everything', types: TYPES },
  reputation: { label: 'Reputation', types: ['agent.reputation_updated'] },
  stake: { label: 'Stake and tier', types: [...STAKE_EVENT_TYPES, 'agent.tier_updated'] },
  metadata: { label: 'Metadata', types: ['agent.registered', 'agent.updated'] },
  status: {
    label: 'Status',
    types: TYPES.filter((type) => /agent\.(suspended|reactivated|deactivated|closed)/.test(type)),
  },
}
type Span = { first: number; after?: string } | { last: number; before: string }

/** What happened to the agent, newest first. It stays after the agent is closed. */
export function ActivitySection({ pda }: { readonly pda: string }) {
  const [kind, setKind] = useState('all')
  const [span, setSpan] = useState<Span>({ first: PAGE_SIZE })
  const types = KINDS[kind]?.types ?? TYPES
  const variables = { pda, types, ...span }
  const [{ data, error }, refetch] = useQuery({ query: AgentActivityDocument, variables })
  const list = data?.registryEventsConnection
  const { startCursor = null, endCursor = null } = list?.pageInfo ?? {}
  return (
    <Section
      title="History"
      aside={
        <span className={css.kind}>
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
        </span>
      }
    >
      {error !== undefined ? (
        <ErrorState error={error} retry={() => refetch({ requestPolicy: 'network-only' })} />
      ) : list === undefined ? (
        <Loading rows={5} label="Loading the history" />
      ) : list.edges.length === 0 ? (
        <Empty title="Nothing of this kind happened" />
      ) : (
        <div className={css.activity}>
          <EventList label="History" events={list.edges.map(({ node }) => node)} />
          {(list.pageInfo.hasPreviousPage || list.pageInfo.hasNextPage) && (
            <Pager
              text="Newest first"
              previous={
                list.pageInfo.hasPreviousPage && startCursor !== null
                  ? () => setSpan({ last: PAGE_SIZE, before: startCursor })
                  : null
              }
              next={
                list.pageInfo.hasNextPage && endCursor !== null
                  ? () => setSpan({ first: PAGE_SIZE, after: endCursor })
                  : null
              }
            />
          )}
        </div>
      )}
    </Section>
  )
}
