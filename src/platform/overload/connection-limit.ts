import { clientNetwork } from '../../domain/client-network.ts'
import { DomainError } from '../../domain/errors.ts'

/** How many long-lived connections of one kind a client network and the process may have open. */
export interface ConnectionCounts {
  readonly perClient: number
  readonly total: number
}

interface ConnectionLimitOptions {
  readonly max: ConnectionCounts
  /** The errors if the client or the process has too many. */
  readonly errors: {
    readonly client: 'TOO_MANY_STREAMS' | 'CLIENT_SOCKETS_FULL' | 'MCP_SESSIONS_FULL'
    readonly process: 'STREAMS_FULL' | 'TOO_MANY_SOCKETS' | 'TOO_MANY_SESSIONS'
  }
  /** After this time without use, a connection may be closed to make room. Default: never. */
  readonly quietMs?: number
  /** After this time without use, a connection is closed. Default: never. */
  readonly idleMs?: number
}

interface LongConnection {
  /** Whether it is in use now. Default: it is not. */
  isBusy?(): boolean
  /** Closes the connection. */
  close(why: 'idle' | 'room'): void
}

/** A connection that is counted. */
export type Counted = ReturnType<ReturnType<typeof createConnectionLimit>['enter']>

const RETRY = { retryAfterSeconds: 30 }

interface Entry {
  readonly client: string
  readonly connection: LongConnection
  usedAt: number
}

/**
 * Shares the connections of a process between client networks. A network that has its share loses
 * its own idle connection that was used longest ago. If the process has all that it may have, the
 * idle connection of any network that was used longest ago gives way. If none is idle, the network
 * with the most connections loses the one used longest ago, unless the new one's network would then
 * have as many.
 */
export function createConnectionLimit(options: ConnectionLimitOptions) {
  const { max, errors, quietMs = Infinity, idleMs } = options
  /** In the order of their last use. */
  const entries = new Set<Entry>()

  const isIdle = ({ connection, usedAt }: Entry): boolean =>
    connection.isBusy?.() !== true && performance.now() - usedAt >= quietMs

  /** The connection that has to close for a new one. Null if none has to. */
  const findVictim = (client: string): Entry | null => {
    const groups = Map.groupBy(entries, (entry) => entry.client)
    const own = groups.get(client) ?? []
    const hasShare = own.length >= max.perClient
    if (!hasShare && entries.size < max.total) return null
    const idle = (hasShare ? own : [...entries]).find(isIdle)
    if (idle !== undefined) return idle
    if (hasShare) throw new DomainError(errors.client, { max: max.perClient }, RETRY)
    const [largest = []] = [...groups.values()].toSorted((a, b) => b.length - a.length)
    if (largest.length <= own.length + 1) throw new DomainError(errors.process, {}, RETRY)
    return largest[0]!
  }

  return {
    /** Throws the error that `enter` would throw now. */
    check: (clientIp: string): void => void findVictim(clientNetwork(clientIp)),
    /** Counts a connection. May close another one. Throws if there are too many. */
    enter: (clientIp: string, connection: LongConnection) => {
      const client = clientNetwork(clientIp)
      const victim = findVictim(client)
      if (victim !== null) {
        entries.delete(victim)
        victim.connection.close('room')
      }
      const entry: Entry = { client, connection, usedAt: performance.now() }
      entries.add(entry)
      const closeIfIdle = (): void => {
        if (connection.isBusy?.() === true) timer?.refresh()
        else connection.close('idle')
      }
      const timer = idleMs === undefined ? undefined : setTimeout(closeIfIdle, idleMs).unref()
      return {
        /** Marks the connection as the one that was used last. */
        touch: (): void => {
          entry.usedAt = performance.now()
          timer?.refresh()
          if (entries.delete(entry)) entries.add(entry)
        },
        /** Ends the counting. May be called more than once. */
        leave: (): void => {
          clearTimeout(timer)
          entries.delete(entry)
        },
      }
    },
  }
}
