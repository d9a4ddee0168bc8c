import type { Kysely } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { Orm } from '../../db/orm-types.ts'
import { DomainError } from '../../domain/errors.ts'
import { quoted } from '../../domain/quoted.ts'
import type { Logger } from '../../platform/logger.ts'
import type { Metrics } from '../../platform/metrics/metrics.ts'
import type { ConnectionCounts } from '../../platform/overload/connection-limit.ts'
import { type EventFilter, eventFilter, type EventFilterInput } from './live-event.ts'
import { Feed } from './feed.ts'
import { newestPosition, positionOf, readEvents } from './recent-events.ts'
import { registryEvents } from './registry-events.ts'
import { createStreams, type MakeStream, STREAM_LIMITS, type StreamClient } from './streams.ts'

export interface EventsInput extends EventFilterInput {
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
