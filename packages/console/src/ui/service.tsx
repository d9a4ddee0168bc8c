import type { ReactNode } from 'react'
import { ConsoleInfoDocument, type ConsoleInfoQuery } from '../api/service.generated.ts'
import { Loaded, useRead } from './read.tsx'

/** What the gateway says about itself. */
export type Service = ConsoleInfoQuery['info']

interface ServiceProps {
  /** What is loading, and how many rows it will have. */
  readonly label: string
  readonly rows: number
  readonly children: (service: Service) => ReactNode
}

/** Loads what the gateway says about itself, and gives it to `children`. */
export function WithService(props: ServiceProps) {
  const read = useRead({ query: ConsoleInfoDocument, requestPolicy: 'cache-first' })
  return <Loaded read={read} data={read.data?.info} {...props} />
}
