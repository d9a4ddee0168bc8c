import { Gauge } from 'prom-client'
import { clientNetwork } from '../domain/client-network.ts'
import { DomainError } from '../domain/errors.ts'
import type { Metrics } from '../platform/metrics/metrics.ts'

export const MAX_PER_CLIENT = 20
export const MAX_PER_PROCESS = 1_000

/** Counts and limits the open streams of this process. */
export function createStreams(metrics: Metrics) {
  const perClient = new Map<string, number>()
  /** The open streams, by the function that ends each. */
  const openStreams = new Set<() => Promise<void>>()
  const gauge: Gauge = new Gauge({
    name: 'gateway_live_events_streams',
    help: 'Open live streams in this process',
    registers: [metrics],
    collect: () => gauge.set(openStreams.size),
  })

  /** Throws TOO_MANY_STREAMS if the client, or the process, has too many open streams. */
  const checkLimit = (clientIp: string): void => {
    const count = perClient.get(clientNetwork(clientIp)) ?? 0
    if (openStreams.size >= MAX_PER_PROCESS || count >= MAX_PER_CLIENT)
      throw new DomainError('TOO_MANY_STREAMS', { max: MAX_PER_CLIENT })
  }

  /** Counts a stream. Returns a function that uncounts it, once. */
  const register = (clientIp: string, end: () => Promise<void>): (() => void) => {
    checkLimit(clientIp)
    const client = clientNetwork(clientIp)
    perClient.set(client, (perClient.get(client) ?? 0) + 1)
    openStreams.add(end)
    return () => {
      if (!openStreams.delete(end)) return
      const left = (perClient.get(client) ?? 0) - 1
      if (left > 0) perClient.set(client, left)
      else perClient.delete(client)
    }
  }

  /**
   * Wraps a stream. It counts from the first request for a value until it ends, fails or is
   * returned. `return` also works while a value is awaited: it aborts the signal of `make`.
   */
  const open = <Value>(
    clientIp: string,
    make: (signal: AbortSignal) => AsyncGenerator<Value, void>,
  ): AsyncGenerator<Value, void> => {
    const ending = new AbortController()
    const inner = make(ending.signal)
    let unregister: (() => void) | undefined
    const end = async (): Promise<void> => {
      unregister?.()
      ending.abort()
      await inner.return()
    }
    const stream: typeof inner = {
      next: async () => {
        try {
          if (!ending.signal.aborted) unregister ??= register(clientIp, end)
          const result = await inner.next()
          if (result.done === true) unregister?.()
          return result
        } catch (error) {
          unregister?.()
          throw error
        }
      },
      return: async () => {
        await end()
        return { done: true, value: undefined }
      },
      throw: async (error) => {
        await end()
        throw error
      },
      [Symbol.asyncIterator]: () => stream,
      [Symbol.asyncDispose]: end,
    }
    return stream
  }

  const closeAll = async (): Promise<void> => {
    await Promise.all(Array.from(openStreams, (end) => end()))
  }

  return { checkLimit, open, closeAll }
}
