import type { Client as Socket } from 'graphql-ws'
import { Client, CombinedError, fetchExchange, mapExchange, subscriptionExchange } from 'urql'
import { apiUrl } from './base.ts'
import { createCache } from './cache.ts'
import { setLastRequest, setSocket } from './connection.ts'
import { readError } from './errors.ts'
import { visible } from './visible.ts'

/** A client with an empty cache. The token is that of a session. `onInvalid`: the session ended. */
export function createApiClient(token: string | null, onInvalid: () => void = () => undefined): Client {
  const authorization: Record<string, string> = token === null ? {} : { Authorization: `Bearer ${token}` }
  // One socket, loaded and opened with the first subscription, and closed soon after the last.
  let socket: Promise<Socket> | undefined
  const streams = new Set<object>()
  const open = (): Promise<Socket> =>
    (socket ??= openSocket(authorization, () => streams.size > 0).catch((error: unknown) => {
      socket = undefined
      throw error
    }))
  return new Client({
    url: apiUrl('graphql'),
    preferGetMethod: false,
    fetchOptions: { headers: authorization },
    fetch: fetchInTime,
    exchanges: [
      createCache(),
      mapExchange({
        onResult: (result) => {
          setLastRequest(stateOf(result.error))
          if (result.error && readError(result.error).code === 'SESSION_INVALID') onInvalid()
          const { error, operation } = result
          const failure = operation.kind === 'query' ? failureOf(error) : error
          return { ...result, error: failure, data: visible(result.data) }
        },
      }),
      fetchExchange,
      subscriptionExchange({
        forwardSubscription: ({ query, variables }) => ({
          subscribe: (sink) => {
            let stop: (() => void) | null = null
            let hasEnded = false
            const end = (): void => {
              hasEnded = true
              stop?.()
              // A lost socket is not opened again for nobody.
              if (streams.delete(sink) && streams.size === 0) setSocket(true)
            }
            const fail = (error: unknown): void => {
              end()
              sink.error(error)
            }
            const start = (loaded: Socket): void => {
              const payload = { query: query ?? '', variables: variables as Record<string, unknown> }
              if (!hasEnded) stop = loaded.subscribe(payload, { ...sink, error: fail } as never)
            }
            streams.add(sink)
            open().then(start, fail)
            return { unsubscribe: end }
          },
        }),
      }),
    ],
  })
}

/** Operations during which the gateway may wait for hosts of other people. */
const SLOW = /"query":"mutation|checkAgentCard/

/** What the header asks. A hanging gateway is shown 20 seconds after the last answer. */
const QUICK = /ConsoleHealth/

/** A gateway that hangs takes requests, and answers none. */
const fetchInTime: typeof fetch = (url, init) => {
  const body = init?.body as string
  const limit = AbortSignal.timeout(SLOW.test(body) ? 30_000 : QUICK.test(body) ? 5_000 : 10_000)
  return fetch(url, { ...init, signal: init?.signal ? AbortSignal.any([init.signal, limit]) : limit })
}

const ABSENT = /^(?:AGENT|TRANSACTION)_NOT_FOUND$/

/** That nothing is at an address is an answer, and its field is null. Other errors stay. */
function failureOf(error: CombinedError | undefined): CombinedError | undefined {
  if (error === undefined || error.networkError) return error
  const { graphQLErrors: all, response } = error
  const graphQLErrors = all.filter(({ extensions }) => !ABSENT.test(String(extensions.code)))
  return graphQLErrors.length === 0 ? undefined : new CombinedError({ graphQLErrors, response })
}

function stateOf(error: CombinedError | undefined) {
  if (error === undefined) return 'reached'
  const { status } = readError(error)
  return error.networkError !== undefined ? 'lost' : status === 429 || status === 503 ? 'busy' : 'reached'
}

async function openSocket(
  connectionParams: Record<string, string>,
  isNeeded: () => boolean,
): Promise<Socket> {
  const { createClient } = await import('graphql-ws')
  let noPong: ReturnType<typeof setTimeout> | undefined
  const socket = createClient({
    url: apiUrl('graphql').replace(/^http/, 'ws'),
    connectionParams,
    retryAttempts: Number.POSITIVE_INFINITY,
    // Not all tabs at the same moment, and each soon after the service is back.
    retryWait: () => new Promise((resolve) => setTimeout(resolve, 1_000 + Math.random() * 2_000)),
    shouldRetry: () => true,
    // From one page to the next the socket stays open.
    lazyCloseTimeout: 2_000,
    keepAlive: 10_000,
    on: {
      connected: () => setSocket(true),
      ping: () => (noPong = setTimeout(() => socket.terminate(), 5_000)),
      pong: () => clearTimeout(noPong),
      closed: () => {
        clearTimeout(noPong)
        setSocket(!isNeeded())
      },
    },
  })
  return socket
}
