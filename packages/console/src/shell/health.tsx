import { Link } from 'wouter'
import { useQuery } from 'urql'
import { ConsoleHealthDocument, type ConsoleHealthQuery } from '../api/service.generated.ts'
import { Badge, type Tone } from '../ui/badge.tsx'
import { usePolling } from '../ui/polling.ts'
import css from './shell.module.css'

/** The state of the service. */
export function Health() {
  const [{ data, error }, refresh] = useQuery({ query: ConsoleHealthDocument })
  usePolling(() => refresh({ requestPolicy: 'network-only' }), 30_000)
  const [tone, text] = stateOf(data, error !== undefined)
  return (
    <Link href="/health" aria-label={`Service health: ${text}`} title={text}>
      <Badge tone={tone} dot>
        <span className={css.healthText}>{text}</span>
      </Badge>
    </Link>
  )
}

function stateOf(data: ConsoleHealthQuery | undefined, hasFailed: boolean): [tone: Tone, text: string] {
  if (hasFailed) return ['bad', 'Not reachable']
  if (data === undefined) return ['neutral', 'Checking']
  if (!data.readiness.ready) return ['bad', 'Not ready']
  return data.detailedHealth.status === 'HEALTHY' ? ['good', 'Operational'] : ['warn', 'Degraded']
}
