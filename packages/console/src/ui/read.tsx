import { type ReactNode, useState } from 'react'
import { type AnyVariables, useQuery, type UseQueryArgs } from 'urql'
import { useKept, usePolling } from './polling.ts'
import { ErrorState, Loading } from './states.tsx'

interface ReadOptions {
  /** Reads it again after so many milliseconds, while the page is visible. */
  readonly everyMs?: number | null
  /** The last data stays while later reads fail. */
  readonly keep?: boolean
}

/**
 * The data of a query, and its variables. What the cache has is shown while it is read again,
 * unless the query has another policy. `again` reads from the gateway, not from the cache.
 */
export function useRead<Data, Variables extends AnyVariables>(
  query: UseQueryArgs<Variables, Data>,
  { everyMs = null, keep = false }: ReadOptions = {},
) {
  const fresh = { requestPolicy: 'cache-and-network', ...query } as UseQueryArgs<Variables, Data>
  const [{ data, error, fetching, operation }, refetch] = useQuery<Data, Variables>(fresh)
  const kept = useKept(data)
  const variables = useKept(data == null ? null : operation?.variables)
  // While a gateway hangs, each try takes long. Its error stays meanwhile.
  const [failure, setFailure] = useState(error)
  if (!fetching && error !== failure) setFailure(error)
  const lost = fetching && failure?.networkError ? failure : undefined
  const again = (): void => void (lost ?? refetch({ requestPolicy: 'network-only' }))
  /** A read that is repeated ends the one before, and would never time out. */
  const poll = (): void => void (fetching || again())
  usePolling(poll, everyMs)
  const isKept = keep && kept !== undefined
  const lastError = error ?? lost
  return {
    data: isKept ? kept : data,
    error: isKept ? undefined : lastError,
    /** Also while the last data is shown. */
    lastError,
    variables,
    fetching,
    again,
    poll,
  }
}

interface LoadedProps<Data> {
  readonly read: { readonly error: unknown; readonly again: () => void }
  /** What the content needs of the data. */
  readonly data: Data | null | undefined
  /** What is loading, and how many rows it will have. */
  readonly label: string
  readonly rows: number
  readonly children: (data: Data) => ReactNode
}

/** The content for the data. Until it is there, rows in its place; after a failure, the error. */
export function Loaded<Data>({ read: { error, again }, data, label, rows, children }: LoadedProps<Data>) {
  if (error !== undefined) return <ErrorState error={error} retry={again} />
  return data == null ? <Loading rows={rows} label={label} /> : children(data)
}
