import { useEffect } from 'react'
import { Link } from 'wouter'
import { useQuery } from 'urql'
import { ConsoleHealthDocument } from '../api/service.generated.ts'
import { Badge } from '../ui/badge.tsx'

/** The state of the service, read every 30 s while the page is visible. */
export function Health() {
  const [{ data, error }, refresh] = useQuery({ query: ConsoleHealthDocument })
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') refresh({ requestPolicy: 'network-only' })
    }, 30_000)
    return () => clearInterval(timer)
  }, [refresh])
  const [tone, text] =
    error !== undefined
      ? (['bad', 'Not reachable'] as const)
      : data === undefined
        ? (['neutral', 'Checking'] as const)
        : !data.readiness.ready
          ? (['bad', 'Not ready'] as const)
          : data.detailedHealth.status === 'ok' || data.detailedHealth.status === 'healthy'
            ? (['good', 'Operational'] as const)
            : (['warn', 'Degraded'] as const)
  return (
    <Link href="/health" aria-label={`Service health: ${text}`}>
      <Badge tone={tone} dot>
        {text}
      </Badge>
    </Link>
  )
}
