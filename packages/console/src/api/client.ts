import { createClient as createSocket } from 'graphql-ws'
import { Client, fetchExchange, subscriptionExchange } from 'urql'
import { apiUrl } from './base.ts'
import { createCache } from './cache.ts'

/** A client with an empty cache. The token is that of a session, or null. */
export function createApiClient(token: string | null): Client {
  const authorization: Record<string, string> = token === null ? {} : { Authorization: `Bearer ${token}` }
  // Lazy: the socket opens with the first subscription and closes after the last.
  const socket = createSocket({
    url: apiUrl('graphql').replace(/^http/, 'ws'),
    connectionParams: authorization,
    retryAttempts: Number.POSITIVE_INFINITY,
    shouldRetry: () => true,
  })
  return new Client({
    url: apiUrl('graphql'),
    preferGetMethod: false,
    fetchOptions: { headers: authorization },
    exchanges: [
      createCache(),
      fetchExchange,
      subscriptionExchange({
        forwardSubscription: ({ query, variables }) => ({
          subscribe: (sink) => ({
            unsubscribe: socket.subscribe(
              { query: query ?? '', variables: variables as Record<string, unknown> },
              sink as never,
            ),
          }),
        }),
      }),
    ],
  })
}
