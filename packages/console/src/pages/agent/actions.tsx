import { useState } from 'react'
import { useQuery, useSubscription } from 'urql'
import { useSocket } from '../../api/connection.ts'
import { describeEvent } from '../../events/describe.ts'
import { LiveEventsDocument } from '../../events/events.generated.ts'
import { CodeTabs, DialogButton, Light, useVisible } from '../../ui/index.ts'
import type { Agent } from './agent.ts'
import { AgentDidDocument } from './page.generated.ts'

interface LiveUpdatesProps {
  readonly pda: string
  /** The newest event that the page shows, so that none is missed in between. */
  readonly after: string | undefined
}

/** Follows the agent. The cache reads again what an event changed, so the page shows it at once. */
export function LiveUpdates({ pda, after }: LiveUpdatesProps) {
  const isVisible = useVisible()
  const isConnected = useSocket()
  const [start] = useState(after)
  const variables = { filter: { agentPda: pda }, ...(start !== undefined && { after: start }) }
  const [{ data, error }] = useSubscription({ query: LiveEventsDocument, variables, pause: !isVisible })
  const event = data?.registryEvents
  const isLive = isConnected && error === undefined
  return (
    <>
      <Light tone={isLive ? 'good' : 'warn'} text={isLive ? 'Live' : 'Not live'} />
      <span role="status" className="visually-hidden">
        {event && `New: ${describeEvent(event)}`}
      </span>
    </>
  )
}

/** The data of the page as JSON, to read and to copy. */
export const RawData = ({ agent }: { readonly agent: Agent }) => (
  <DialogButton look="quiet" label="Raw data" title="Raw data">
    {() => <Documents agent={agent} />}
  </DialogButton>
)

function Documents({ agent }: { readonly agent: Agent }) {
  const [{ data, error }] = useQuery({ query: AgentDidDocument, variables: { did: agent.did } })
  const document = error?.message ?? (data === undefined ? 'Loading' : print(data.did?.didDocument))
  return <CodeTabs label="Data" codes={{ Agent: print(agent), 'DID document': document }} />
}

/** Without what the cache adds. */
function print(value: unknown): string {
  const skip = (name: string, each: unknown): unknown => (name === '__typename' ? undefined : each)
  return JSON.stringify(value, skip, 2)
}
