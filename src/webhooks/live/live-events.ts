import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { Orm } from '../../db/orm-types.ts'
import { DomainError, isDomainError } from '../../domain/errors.ts'
import { quoted } from '../../domain/quoted.ts'
import type { Logger } from '../../platform/logger.ts'
import type { Metrics } from '../../platform/metrics/metrics.ts'
import type { ConnectionCounts } from '../../platform/overload/connection-limit.ts'
import {
  type EventFilter,
  eventFilter,
  type EventFilterInput,
  type LiveEvent,
  liveEvent,
  type OutboxRow,
} from './live-event.ts'
import { Feed } from './feed.ts'
import { type EventPage, newestPosition, positionOf, readEvents } from './recent-events.ts'
import { createStreams, type MakeStream, STREAM_LIMITS, type StreamClient } from './streams.ts'

interface EventsInput extends EventFilterInput {
  /** Id of the last event that the client received. Without it, only new events are sent. */
  readonly after?: string | null
}

export type LiveEvents = ReturnType<typeof createLiveEvents>

/** The live streams of this process. All can fail with TOO_MANY_STREAMS and STREAMS_FULL. */
export function createLiveEvents(options: {
  orm: Orm
  logger: Pick<Logger, 'warn'>
  metrics: Metrics
  streamLimits?: ConnectionCounts
}) {
  const { orm, logger, metrics, streamLimits = STREAM_LIMITS } = options
  const kysely: Kysely<Database> = orm.em.fork().getKysely<Database>()
  const read = (after: number, filter: EventFilter) => readEvents(kysely, after, filter)
  const streams = createStreams(metrics, streamLimits)
  const feed = new Feed({ orm, kysely, logger })
  return {
    /** Events in order. Rejects with INVALID_ENUM, INVALID_PUBKEY and EVENT_UNKNOWN. */
    registryEvents: async (input: EventsInput, client: StreamClient) => {
      const filter = eventFilter(input)
      streams.checkLimit(client)
      const after = await startPosition(kysely, input.after)
      return streams.open(client, async function* (signal) {
        const unsubscribe = await feed.subscribe()
        try {
          const charge = (): void => client.chargeEvent?.()
          yield* registryEvents({ feed, read, filter, after, charge, signal })
        } finally {
          unsubscribe()
        }
      })
    },
    /** A stream of another source, under the same limits. Rejects as `source` does. */
    stream: async <Value>(source: () => Promise<MakeStream<Value>>, client: StreamClient) => {
      streams.checkLimit(client)
      return streams.open(client, await source())
    },
    /** Ends all streams. */
    close: async () => {
      await streams.closeAll()
      await feed.close()
    },
  }
}

async function startPosition(kysely: Kysely<Database>, after: string | null | undefined): Promise<number> {
  if (after === undefined || after === null) return newestPosition(kysely)
  const position = await positionOf(kysely, after.replaceAll('\0', ''))
  if (position === null) throw new DomainError('EVENT_UNKNOWN', { parameter: 'after', value: quoted(after) })
  return position
}

/** Earlier events that are sent for one charge. Each takes 0.06 to 0.22 ms. */
export const EVENTS_PER_CHARGE = 5
/** Until a stream asks for units again. Meanwhile, requests of its client can use some. */
const WAIT_MS = 5_000

/**
 * Events after a position, in order and without end: from the feed if its buffer goes back that
 * far, otherwise from the database. The next page is read only after the last event of this one was
 * consumed, so that a slow client needs the memory of one page. Pages of the database and events
 * that are older than the stream are charged.
 */
export async function* registryEvents(options: {
  feed: Feed
  read: (after: number, filter: EventFilter) => Promise<EventPage>
  filter: EventFilter
  after: number
  /** Throws RATE_LIMITED. */
  charge: () => void
  signal: AbortSignal
}): AsyncGenerator<LiveEvent> {
  const { feed, read, filter, charge, signal } = options
  let position = options.after
  const opened = feed.position
  while (!signal.aborted) {
    const buffered = feed.after(position)?.filter((row) => matches(row, filter))
    if (buffered === undefined) await charged(charge, signal)
    const page = buffered ? { rows: buffered, upTo: feed.position } : await read(position, filter)
    for (const [i, row] of page.rows.entries()) {
      if (row.position <= opened && i % EVENTS_PER_CHARGE === 0) await charged(charge, signal)
      if (signal.aborted) return
      yield liveEvent(row)
    }
    position = Math.max(position, page.upTo)
    if (buffered && feed.position <= position) await feed.nextChange(signal)
  }
}

/** Waits until the client has units: clients do not open a stream again that has failed. */
async function charged(charge: () => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      return charge()
    } catch (error) {
      if (!isDomainError(error, 'RATE_LIMITED')) throw error
      await sleep(WAIT_MS, undefined, { signal }).catch(() => undefined)
    }
  }
}

function matches(row: OutboxRow, { types, agentPda, agentPdas }: EventFilter): boolean {
  return (
    (types?.has(row.type) ?? true) &&
    (agentPda === undefined || row.agentPda === agentPda) &&
    (agentPdas?.has(row.agentPda) ?? true)
  )
}
