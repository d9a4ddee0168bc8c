import { DomainError } from '../../domain/errors.ts'
import { addGauge, type Metrics } from '../../platform/metrics/metrics.ts'
import { type ConnectionCounts, createConnectionLimit } from '../../platform/overload/connection-limit.ts'

export const STREAM_LIMITS: ConnectionCounts = { perClient: 20, total: 1_000 }

/** Who opens a stream. */
export interface StreamClient {
  readonly clientIp: string
  /** Aborted when the client has disconnected. */
  readonly disconnected: () => AbortSignal
  /** Charges the client for some events. Throws RATE_LIMITED. */
  readonly chargeEvent?: () => void
}

/** Counts and limits the open streams of this process. */
export function createStreams(metrics: Metrics, max: ConnectionCounts) {
  const errors = { client: 'TOO_MANY_STREAMS', process: 'STREAMS_FULL' } as const
  const limit = createConnectionLimit({ max, errors })
  /** The open streams, by the function that ends each. */
  const openStreams = new Set<() => Promise<void>>()
  const about = { name: 'gateway_live_events_streams', help: 'Open live streams in this process' }
  addGauge(metrics, about, () => openStreams.size)
  return {
    /** Throws TOO_MANY_STREAMS or STREAMS_FULL if there is no place for a stream of the client. */
    checkLimit: ({ clientIp }: StreamClient) => limit.check(clientIp),
    open: <Value>(client: StreamClient, make: MakeStream<Value>) =>
      countedStream(client, make, limit, openStreams),
    closeAll: async (): Promise<void> => {
      await Promise.all(Array.from(openStreams, (end) => end()))
    },
  }
}

/** Its stream ends with the signal. */
export type MakeStream<Value> = (signal: AbortSignal) => AsyncGenerator<Value, void>

/**
 * Wraps a stream. It counts from the first request for a value until it ends, fails or is
 * returned, or its client disconnects: transports do not return each stream that its client left
 * early. `return` also works while a value is awaited: it aborts the signal of `make`. A stream
 * that loses its place fails with STREAMS_FULL, so that its client opens it again.
 */
function countedStream<Value>(
  client: StreamClient,
  make: MakeStream<Value>,
  limit: ReturnType<typeof createConnectionLimit>,
  openStreams: Set<() => Promise<void>>,
): AsyncGenerator<Value, void> {
  const ending = new AbortController()
  const inner = make(ending.signal)
  let leave: (() => void) | undefined
  let isCut = false
  const end = async (): Promise<void> => {
    leave?.()
    ending.abort()
    await inner.return()
  }
  const endNow = (): void => void end()
  const cut = (): void => {
    isCut = true
    endNow()
  }
  const enter = (): (() => void) => {
    const counted = limit.enter(client.clientIp, { close: cut })
    const disconnected = client.disconnected()
    openStreams.add(end)
    disconnected.addEventListener('abort', endNow)
    return () => {
      disconnected.removeEventListener('abort', endNow)
      openStreams.delete(end)
      counted.leave()
    }
  }
  const stream: typeof inner = {
    next: async () => {
      try {
        if (client.disconnected().aborted) ending.abort()
        if (!ending.signal.aborted) leave ??= enter()
        const result = await inner.next()
        if (isCut) throw new DomainError('STREAMS_FULL', {}, { retryAfterSeconds: 30 })
        if (result.done === true) leave?.()
        return result
      } catch (error) {
        leave?.()
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
