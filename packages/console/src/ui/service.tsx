import type { ReactNode } from 'react'
import { useQuery } from 'urql'
import { ConsoleInfoDocument, type ConsoleInfoQuery } from '../api/service.generated.ts'
import { ErrorState, Loading } from './states.tsx'

/** What the gateway says about itself. */
export type Service = ConsoleInfoQuery['info']

interface ServiceProps {
  /** What is loading, and how many rows it will have. */
  readonly label: string
  readonly rows: number
  readonly children: (service: Service) => ReactNode
}

/**
 * Loads what the gateway says about itself, and gives it to `children`. After a failure it shows the
 * error, with a button to try again.
 */
export function WithService({ label, rows, children }: ServiceProps) {
  const [{ data, error }, refetch] = useQuery({ query: ConsoleInfoDocument })
  if (data !== undefined) return children(data.info)
  if (error === undefined) return <Loading rows={rows} label={label} />
  return <ErrorState error={error} retry={() => refetch({ requestPolicy: 'network-only' })} />
}
