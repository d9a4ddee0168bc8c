import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ServerEventBus } from '@modelcontextprotocol/server'
import type { FastifyReply } from 'fastify'
import { DomainError } from '../../src/domain/errors.ts'
import { quoted } from '../../src/domain/quoted.ts'
import type { Services } from '../../src/services.ts'
import { disconnected } from '../plugins/event-stream.ts'
import { agentUri, pdaOfUri } from './resources.ts'

/** URIs of one subscription. */
export const MAX_SUBSCRIBED = 100

/**
 * The agents that a `subscriptions/listen` message names. Null for other messages and for those
 * that the SDK refuses. Throws INVALID_REQUEST.
 */
export function subscribedAgents(message: unknown): string[] | null {
  const { method, params } = (message ?? {}) as {
    method?: unknown
    params?: { notifications?: { resourceSubscriptions?: unknown } | null } | null
  }
  const uris = params?.notifications?.resourceSubscriptions
  if (method !== 'subscriptions/listen' || !Array.isArray(uris) || uris.length === 0) return null
  if (uris.length > MAX_SUBSCRIBED)
    throw new DomainError('INVALID_REQUEST', {
      problem: `resourceSubscriptions has ${uris.length} URIs. The maximum is ${MAX_SUBSCRIBED}`,
    })
  return uris.map((uri: unknown) => {
    const pda = typeof uri === 'string' ? pdaOfUri(uri) : null
    if (pda !== null) return pda
    throw new DomainError('INVALID_REQUEST', {
      problem: `resourceSubscriptions accepts agent://{pda}, got ${quoted(uri)}`,
    })
  })
}

export interface Subscription {
  readonly bus: ServerEventBus
  /** Aborted when the client disconnects. Null for messages that are not subscriptions. */
  readonly signal: AbortSignal | null
}

export const NO_SUBSCRIPTION: Subscription = {
  bus: { publish: () => undefined, subscribe: () => () => undefined },
  signal: null,
}

/**
 * Subscribes to changes of these agents. A subscription counts as a live stream of the client.
 * Throws TOO_MANY_STREAMS, STREAMS_FULL and INVALID_PUBKEY.
 */
export async function subscribe(
  { liveEvents }: Services,
  agentPdas: string[],
  { request, raw: response }: FastifyReply,
): Promise<Subscription> {
  const signal = disconnected(request)
  const client = { clientIp: request.ip, disconnected: () => signal }
  const events = await liveEvents.registryEvents({ agentPdas }, client)
  const send = async (listener: Parameters<ServerEventBus['subscribe']>[0]): Promise<void> => {
    for await (const { agentPda } of events) {
      listener({ kind: 'resource_updated', uri: agentUri(agentPda) })
      await nextTurn()
      // A slow client must not fill the memory with unread notifications.
      if (response.writableNeedDrain) await once(response, 'drain', { signal })
    }
  }
  const bus: ServerEventBus = {
    publish: () => undefined,
    subscribe: (listener) => {
      // Clients subscribe again after a cut, but not when a stream ends normally.
      send(listener)
        .catch(() => undefined)
        .finally(() => response.destroy())
      return () => void events.return()
    },
  }
  return { bus, signal }
}
