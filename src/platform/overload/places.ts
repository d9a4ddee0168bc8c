import { clientNetwork } from '../../domain/client-network.ts'
import { DomainError } from '../../domain/errors.ts'

/** How many long-lived connections of one kind a client network and the process may have open. */
export interface PlaceLimits {
  readonly perClient: number
  readonly total: number
}

export interface PlaceOwner {
  /** Whether the connection can be closed without a loss for its client. */
  isIdle(): boolean
  /** Closes the connection, to make room for another one. */
  close(): void
}

export interface Place {
  /** Marks the connection as the one that was used last. */
  touch(): void
  /** Gives the place up. May be called more than once. */
  leave(): void
}

/** The errors if the client or the process has too many. */
export interface PlaceErrors {
  readonly client: 'TOO_MANY_STREAMS' | 'CLIENT_SOCKETS_FULL' | 'MCP_SESSIONS_FULL'
  readonly process: 'STREAMS_FULL' | 'TOO_MANY_SOCKETS' | 'TOO_MANY_SESSIONS'
}

export interface Places {
  /** Throws the error that `enter` would throw now. */
  check(clientIp: string): void
  /** Takes a place. May close the connection of another. Throws if there is none. */
  enter(clientIp: string, owner: PlaceOwner): Place
}

/** Of a refusal, seconds. */
const RETRY = { retryAfterSeconds: 30 }

interface Entry extends PlaceOwner {
  readonly client: string
}

/**
 * Shares the places of a process between client networks. A network that has its share loses its
 * own idle connection that was used longest ago. If all places are taken, the idle connection of
 * any network that was used longest ago gives way. If none is idle, the network with the
 * most places loses the one used longest ago, unless the new one's network would then have as many.
 */
export function createPlaces(limits: PlaceLimits, errors: PlaceErrors): Places {
  /** In the order of their last use. */
  const entries = new Set<Entry>()
  const counts = new Map<string, number>()
  const countOf = (client: string): number => counts.get(client) ?? 0

  const leave = (entry: Entry): void => {
    if (!entries.delete(entry)) return
    const left = countOf(entry.client) - 1
    if (left > 0) counts.set(entry.client, left)
    else counts.delete(entry.client)
  }

  const findIdle = (client?: string): Entry | null => {
    for (const entry of entries) if (entry.isIdle() && (client ?? entry.client) === entry.client) return entry
    return null
  }

  const findVictim = (client: string): Entry | null => {
    const idle = findIdle()
    if (idle !== null) return idle
    let largest: Entry | null = null
    for (const entry of entries)
      if (largest === null || countOf(entry.client) > countOf(largest.client)) largest = entry
    return largest !== null && countOf(largest.client) > countOf(client) + 1 ? largest : null
  }

  /** The connection that has to close for a new one. Null if none has to. */
  const makeRoom = (client: string): Entry | null => {
    if (countOf(client) >= limits.perClient) {
      const idle = findIdle(client)
      if (idle === null) throw new DomainError(errors.client, { max: limits.perClient }, RETRY)
      return idle
    }
    if (entries.size < limits.total) return null
    const victim = findVictim(client)
    if (victim === null) throw new DomainError(errors.process, {}, RETRY)
    return victim
  }

  return {
    check: (clientIp) => void makeRoom(clientNetwork(clientIp)),
    enter: (clientIp, owner) => {
      const client = clientNetwork(clientIp)
      const victim = makeRoom(client)
      if (victim !== null) {
        leave(victim)
        victim.close()
      }
      const entry: Entry = { client, isIdle: () => owner.isIdle(), close: () => owner.close() }
      entries.add(entry)
      counts.set(client, countOf(client) + 1)
      return {
        touch: () => {
          if (entries.delete(entry)) entries.add(entry)
        },
        leave: () => leave(entry),
      }
    },
  }
}
