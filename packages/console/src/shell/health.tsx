import { Link } from 'wouter'
import { useQuery } from 'urql'
import { ConsoleHealthDocument, type ConsoleHealthQuery } from '../api/service.generated.ts'
import { useConnected } from '../api/connection.ts'
import { readError } from '../api/errors.ts'
import { Light, type Tone } from '../ui/badge.tsx'
import { usePolling } from '../ui/polling.ts'
import css from './shell.module.css'

/** The state of the service. */
export function Health() {
  const [{ data, error }, refresh] = useQuery({ query: ConsoleHealthDocument })
  const seconds = (error && readError(error).retryAfter) ?? 30
  usePolling(() => refresh({ requestPolicy: 'network-only' }), seconds * 1_000)
  const isConnected = useConnected()
  const [tone, text] = stateOf(data, error !== undefined, isConnected)
  return (
    <Link href="/health" aria-label={`Service health: ${text}`} title={text}>
      <Light tone={tone} text={<span className={css.healthText}>{text}</span>} />
    </Link>
  )
}

function stateOf(
  data: ConsoleHealthQuery | undefined,
  hasFailed: boolean,
  isConnected: boolean,
): [tone: Tone, text: string] {
  if (hasFailed) return ['bad', 'Not reachable']
  if (!isConnected) return ['warn', 'Reconnecting']
  if (data === undefined) return ['neutral', 'Checking']
  if (!data.readiness.ready) return ['bad', 'Not ready']
  return data.detailedHealth.status === 'HEALTHY' ? ['good', 'Operational'] : ['warn', 'Degraded']
}
