import { useState } from 'react'
import { useSubscription } from 'urql'
import { useSocket } from '../../api/connection.ts'
import { describeEvent } from '../../events/describe.ts'
import { LiveEventsDocument } from '../../events/events.generated.ts'
import { Light, useVisible } from '../../ui/index.ts'

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
