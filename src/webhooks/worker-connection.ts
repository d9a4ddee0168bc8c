import PQueue from 'p-queue'
import type { Kysely, RawBuilder } from 'kysely'
import type { Database } from '../db/database.ts'
import { listen, type Listening } from '../db/listen.ts'
import type { Orm } from '../db/orm-types.ts'
import { DELIVERIES_CHANNEL } from '../domain/webhook-delivery.ts'

/**
 * A plan that was made for small tables would read all of large ones, so sequential scans and
 * avoidable sorts are off. Bitmap scans do not mark dead index entries, so each would read them
 * again. Compilation and new plans cost more than they save. A claim need not survive a crash of
 * the server: without it, the delivery is simply due.
 */
const SETTINGS = `set enable_seqscan = off; set enable_bitmapscan = off; set jit = off; set synchronous_commit = off;
  set enable_sort = off; set plan_cache_mode = force_generic_plan`

export type WorkerConnection = ReturnType<typeof createWorkerConnection>

/**
 * A database connection outside the pool, for claims and notifications. It connects on the first
 * query, and reconnects after it was lost.
 */
export function createWorkerConnection(options: {
  orm: Orm
  kysely: Kysely<Database>
  /** Called without a payload when the connection is lost, so that the worker reconnects. */
  onNotification: (payload?: string) => void
}) {
  const { orm, kysely, onNotification } = options
  const queries = new PQueue({ concurrency: 1 })
  let current: Listening | undefined
  let closed = false

  const connect = async (): Promise<Listening> => {
    const listening = await listen(orm, DELIVERIES_CHANNEL, onNotification)
    try {
      await listening.client.query(SETTINGS)
      return listening
    } catch (error) {
      await listening.close()
      throw error
    }
  }

  const close = async (): Promise<void> => {
    closed = true
    await current?.close()
  }

  const run = async <Row>(name: string, statement: RawBuilder<Row>): Promise<Row[]> => {
    if (!closed && current?.lost !== false) current = await connect()
    // It can be closed while it connects.
    if (closed || current === undefined) {
      await close()
      throw new Error('the worker connection is closed')
    }
    const { sql: text, parameters } = statement.compile(kysely)
    const { rows } = await current.client.query<Row & object>({ name, text, values: [...parameters] })
    return rows
  }

  return {
    /** Runs one query at a time, in order. */
    query: <Row>(name: string, statement: RawBuilder<Row>): Promise<Row[]> =>
      queries.add(() => run(name, statement)),
    close,
  }
}
