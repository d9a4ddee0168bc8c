import { type Client, createClient } from 'graphql-ws'
import { WebSocket } from 'ws'

/** A graphql-ws client with an open WebSocket. */
export async function openSocket(url: string): Promise<Client> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const client = createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    lazy: false,
    retryAttempts: 0,
    onNonLazyError: () => undefined,
    on: { connected: () => resolve() },
  })
  await promise
  return client
}

/** The first result of an operation, or its errors, as JSON. */
export async function firstOf(socket: Client, query: string): Promise<string> {
  const result = await socket
    .iterate({ query })
    .next()
    .catch((errors: unknown) => errors)
  return JSON.stringify(result)
}
