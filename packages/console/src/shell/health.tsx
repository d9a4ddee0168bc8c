import { Link } from 'wouter'
import { useQuery } from 'urql'
import { ConsoleHealthDocument, type ConsoleHealthQuery } from '../api/service.generated.ts'
import { type Connection, useConnection } from '../api/connection.ts'
import { readError } from '../api/errors.ts'
import { Light, type Tone, usePolling } from '../ui/index.ts'
import css from './shell.module.css'

/** The state of the service. */
export function Health() {
  const [{ data, error, fetching }, refresh] = useQuery({ query: ConsoleHealthDocument })
  const seconds = (error && readError(error).retryAfter) ?? 15
  usePolling(() => fetching || refresh({ requestPolicy: 'network-only' }), seconds * 1_000)
  const [tone, text] = STATES[useConnection()] ?? stateOf(data)
  return (
    <Link href="/health" aria-label={`Service health: ${text}`} title={text}>
      <Light tone={tone} text={<span className={css.healthText}>{text}</span>} />
    </Link>
  )
}

/** Above what the service said about itself before. */
const STATES: Partial<Record<Connection, readonly [tone: Tone, text: string]>> = {
  lost: ['bad', 'Not reachable'],
  busy: ['warn', 'Busy'],
  reconnecting: ['warn', 'Reconnecting'],
}

function stateOf(data: ConsoleHealthQuery | undefined): [tone: Tone, text: string] {
  if (data === undefined) return ['neutral', 'Checking']
  if (!data.readiness.ready) return ['bad', 'Not ready']
  return data.detailedHealth.status === 'HEALTHY' ? ['good', 'Operational'] : ['warn', 'Degraded']
}
