import type { Clock } from '../clock.ts'
import { countRequest, type RateLimitState } from './gcra.ts'

/** Clients remembered of each kind; the one not seen for longest is forgotten first. */
const MAX_CLIENTS = 50_000

/** Counts in this process. */
export function createMemoryCounter(
  clock: Clock,
): (kind: string, client: string, limit: number) => RateLimitState {
  const kinds = new Map<string, Map<string, number>>()
  return (kind, client, limit) => {
    let arrivals = kinds.get(kind)
    if (arrivals === undefined) kinds.set(kind, (arrivals = new Map()))
    const { arrival, state } = countRequest(arrivals.get(client), clock.now(), limit)
    arrivals.delete(client)
    arrivals.set(client, arrival)
    if (arrivals.size > MAX_CLIENTS) arrivals.delete(arrivals.keys().next().value ?? '')
    return state
  }
}
