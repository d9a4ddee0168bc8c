import type { Kysely, RawBuilder } from 'kysely'
import PQueue from 'p-queue'
import type { Client } from 'pg'
import type { Database } from '../../db/database.ts'
import type { Orm } from '../../db/orm-types.ts'
import { openSession } from '../../db/session.ts'
import { DELIVERIES_CHANNEL } from '../../domain/webhook-delivery.ts'

/** A database connection outside the pool, for claims and notifications. */
export interface WorkerConnection {
  /** Runs one query at a time, in order. */
  query<Row>(name: string, statement: RawBuilder<Row>): Promise<Row[]>
  close(): Promise<void>
}

/**
 * Sequential scans are off, because a plan that was made for small tables would scan large ones.
 * Compilation costs more than it saves in short statements. A claim need not survive a crash of the
 * server: without it, the delivery is simply due.
 */
const SETTINGS = `set enable_seqscan = off; set jit = off; set synchronous_commit = off`

/** Connects on the first query, and reconnects after the connection is lost. */
export function createWorkerConnection(options: {
  orm: Orm
  kysely: Kysely<Database>
  onNotification: () => void
}): WorkerConnection {
  const { orm, kysely, onNotification } = options
  const queries = new PQueue({ concurrency: 1 })
  let current: Promise<Client> | undefined
  let closed = false

  const connect = async (): Promise<Client> => {
    const client = await openSession(orm)
    let lost = false
    // `end` follows `error`. The next connection may be opening by then, so only the first one
    // counts.
    const onLost = (): void => {
      if (lost) return
      lost = true
      current = undefined
      void client.end().catch(() => undefined)
      // The worker polls again and thereby reconnects.
      if (!closed) onNotification()
    }
    client.on('error', onLost)
    client.on('end', onLost)
    client.on('notification', onNotification)
    try {
      await client.query(`${SETTINGS}; listen ${DELIVERIES_CHANNEL}`)
      return client
    } catch (error) {
      await client.end().catch(() => undefined)
      throw error
    }
  }

  const run = async <Row>(name: string, statement: RawBuilder<Row>): Promise<Row[]> => {
    if (closed) throw new Error('the worker connection is closed')
    current ??= connect().catch((error: unknown) => {
      current = undefined
      throw error
    })
    const client = await current
    const { sql: text, parameters } = statement.compile(kysely)
    const { rows } = await client.query<Row & object>({ name, text, values: [...parameters] })
    return rows
  }

  return {
    query: (name, statement) => queries.add(() => run(name, statement)),
    close: async () => {
      closed = true
      const client = await current?.catch(() => undefined)
      await client?.end().catch(() => undefined)
    },
  }
}
