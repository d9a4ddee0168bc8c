import { clientNetwork } from '../domain/client-network.ts'
import { DomainError } from '../domain/errors.ts'

/** Streams held open at once, of one client and of a process. */
export const STREAM_LIMITS = { perClient: 20, perProcess: 1_000 } as const

export interface Streams {
  /** Throws TOO_MANY_STREAMS. */
  checkRoom(clientIp: string): void
  /**
   * A stream that takes its room with the first value asked for, and gives it back when it ends, fails or is returned. A return
   * ends it also while it waits for its next value: `make` is given the signal.
   */
  open<Value>(
    clientIp: string,
    make: (signal: AbortSignal) => AsyncGenerator<Value, void>,
  ): AsyncGenerator<Value, void>
  readonly size: number
  endAll(): Promise<void>
}

export function createStreams(onCount: (open: number) => void = () => undefined): Streams {
  const clients = new Map<string, number>()
  const ends = new Set<() => Promise<unknown>>()

  const checkRoom = (clientIp: string): void => {
    const ofClient = clients.get(clientNetwork(clientIp)) ?? 0
    if (ends.size >= STREAM_LIMITS.perProcess || ofClient >= STREAM_LIMITS.perClient)
      throw new DomainError('TOO_MANY_STREAMS', { max: STREAM_LIMITS.perClient })
  }

  const enter = (clientIp: string, end: () => Promise<unknown>): (() => void) => {
    checkRoom(clientIp)
    const client = clientNetwork(clientIp)
    clients.set(client, (clients.get(client) ?? 0) + 1)
    ends.add(end)
    onCount(ends.size)
    return () => {
      if (!ends.delete(end)) return
      const left = (clients.get(client) ?? 0) - 1
      if (left > 0) clients.set(client, left)
      else clients.delete(client)
      onCount(ends.size)
    }
  }

  const open = <Value>(
    clientIp: string,
    make: (signal: AbortSignal) => AsyncGenerator<Value, void>,
  ): AsyncGenerator<Value, void> => {
    const ending = new AbortController()
    const inner = make(ending.signal)
    let leave: (() => void) | undefined
    const finish = async (): Promise<void> => {
      leave?.()
      ending.abort()
      await inner.return()
    }
    const stream: AsyncGenerator<Value, void> = {
      next: async () => {
        try {
          if (!ending.signal.aborted) leave ??= enter(clientIp, finish)
          const result = await inner.next()
          if (result.done === true) leave?.()
          return result
        } catch (error) {
          leave?.()
          throw error
        }
      },
      return: async () => {
        await finish()
        return { done: true, value: undefined }
      },
      throw: async (error) => {
        await finish()
        throw error
      },
      [Symbol.asyncIterator]: () => stream,
      [Symbol.asyncDispose]: finish,
    }
    return stream
  }

  return {
    checkRoom,
    open,
    get size() {
      return ends.size
    },
    endAll: async () => {
      await Promise.all(Array.from(ends, (end) => end()))
    },
  }
}
