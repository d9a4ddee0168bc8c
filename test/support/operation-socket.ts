import { type Client, createClient } from 'graphql-ws'
import { WebSocket } from 'ws'

/** A client of graphql-transport-ws whose socket is open. */
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

/** What an operation is answered, as text. */
export async function firstOf(socket: Client, query: string): Promise<string> {
  const answer = await socket
    .iterate({ query })
    .next()
    .catch((errors: unknown) => errors)
  return JSON.stringify(answer)
}
