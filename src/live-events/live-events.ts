import type { Kysely } from 'kysely'
import { listen } from '../db/listen.ts'
import type { Database } from '../db/database.ts'
import { enumParameter, optional, pubkeyParameter } from '../domain/parameters.ts'
import { quoted } from '../domain/quoted.ts'
import { EVENTS_CHANNEL, WEBHOOK_EVENT_TYPES } from '../domain/webhook-events.ts'
import { DomainError } from '../domain/errors.ts'
import type { Logger } from '../platform/logger.ts'
import type { Metrics } from '../platform/metrics/metrics.ts'
import type { TransactionRecord } from '../relay/record.ts'
import type { WatchTransaction } from '../relay/watch-transaction.ts'
import { createFeed } from './feed.ts'
import type { LiveEvent } from './live-event.ts'
import { countStreams } from './metrics.ts'
import { type EventFilter, newestPosition, positionOf, readEvents } from './read-events.ts'
import { registryEvents } from './registry-events.ts'
import { createStreams } from './stream.ts'
import type { Orm } from '../db/orm-types.ts'

export interface EventsInput {
  /** Every type by default. */
  readonly types?: readonly string[] | null
  readonly agentPda?: string | null
  /** Id of the last event that the client has; from now on by default. */
  readonly after?: string | null
}

/** Streams of one process. Each counts against its client; all reject or throw TOO_MANY_STREAMS. */
export interface LiveEvents {
  /** Events in order, without end. Rejects with INVALID_ENUM, INVALID_PUBKEY, EVENT_UNKNOWN. */
  registryEvents(input: EventsInput, clientIp: string): Promise<AsyncGenerator<LiveEvent, void>>
  /** The record now and at each change, until it is settled. Rejects with TRANSACTION_NOT_FOUND. */
  transactionStatus(id: string, clientIp: string): Promise<AsyncGenerator<TransactionRecord, void>>
  /** Ends all streams. */
  close(): Promise<void>
}

export function createLiveEvents(options: {
  orm: Orm
  watchTransaction: WatchTransaction
  logger: Pick<Logger, 'warn'>
  metrics: Metrics
}): LiveEvents {
  const { orm, watchTransaction, logger, metrics } = options
  const kysely: Kysely<Database> = orm.em.fork().getKysely()
  const read = (after: number, filter: EventFilter) => readEvents(kysely, after, filter)
  const streams = createStreams(countStreams(metrics))
  const feed = createFeed(
    {
      newest: () => newestPosition(kysely),
      after: (position) => read(position, {}),
      hints: (onHint) => listen(orm, EVENTS_CHANNEL, onHint),
    },
    logger,
  )
  return {
    registryEvents: async (input, clientIp) => {
      const filter = eventFilter(input)
      streams.checkRoom(clientIp)
      const after = await startOf(kysely, input.after)
      return streams.open(clientIp, async function* (signal) {
        const leave = await feed.join()
        try {
          yield* registryEvents({ feed, read, filter, after, signal })
        } finally {
          leave()
        }
      })
    },
    transactionStatus: async (id, clientIp) => {
      streams.checkRoom(clientIp)
      const watch = await watchTransaction(id)
      return streams.open(clientIp, watch)
    },
    close: async () => {
      await streams.endAll()
      await feed.close()
    },
  }
}

function eventFilter({ types, agentPda }: EventsInput): EventFilter {
  const readType = enumParameter(WEBHOOK_EVENT_TYPES)
  if (types?.length === 0)
    throw new DomainError('INVALID_REQUEST', { problem: 'types must name at least one event type' })
  return {
    types: types ? new Set(types.map((type) => readType('types', type))) : undefined,
    agentPda: optional(pubkeyParameter, 'agentPda', agentPda),
  }
}

async function startOf(kysely: Kysely<Database>, after: string | null | undefined): Promise<number> {
  if (after === undefined || after === null) return newestPosition(kysely)
  const position = await positionOf(kysely, after.replaceAll('\0', ''))
  if (position === null) throw new DomainError('EVENT_UNKNOWN', { parameter: 'after', value: quoted(after) })
  return position
}
