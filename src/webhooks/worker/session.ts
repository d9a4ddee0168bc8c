import { type CompiledQuery, type Kysely, type RawBuilder } from 'kysely'
import type { Client } from 'pg'
import { openSession } from '../../db/session.ts'
import type { Database } from '../../db/database.ts'
import { DELIVERIES_CHANNEL } from '../../domain/webhook-delivery.ts'
import type { Orm } from '../../db/orm-types.ts'

/** A worker's own connection: it claims there, and hears there what others announce. */
export interface WorkerSession {
  /** One at a time, in order. */
  query<Row>(name: string, statement: RawBuilder<Row>): Promise<Row[]>
  close(): Promise<void>
}

/**
 * Opens the connection on first use, and a new one after it was lost.
 *
 * Its settings are why claims do not go through the pool: a plan made while the tables were small would scan all of them
 * once they are not, and compiling such short statements costs far more than it saves.
 */
export function createWorkerSession(options: {
  orm: Orm
  kysely: Kysely<Database>
  onAnnouncement: () => void
}): WorkerSession {
  const { orm, kysely, onAnnouncement } = options
  let opening: Promise<Client> | undefined
  let current: Client | undefined
  let closed = false
  let last: Promise<unknown> = Promise.resolve()

  const open = async (): Promise<Client> => {
    const client = await openSession(orm)
    const forget = (): void => {
      // Once: its `end` comes after its `error`, when the next connection may be opening already.
      if (current !== client) return
      current = undefined
      opening = undefined
      void client.end().catch(() => undefined)
      // Whoever waits for an announcement looks again, and so reconnects.
      if (!closed) onAnnouncement()
    }
    current = client
    client.on('error', forget)
    client.on('end', forget)
    client.on('notification', onAnnouncement)
    try {
      await client.query('set enable_seqscan = off')
      await client.query('set jit = off')
      // A claim that a crash of the server undoes was no claim: the delivery is due again.
      await client.query('set synchronous_commit = off')
      await client.query(`listen ${DELIVERIES_CHANNEL}`)
    } catch (error) {
      await client.end().catch(() => undefined)
      throw error
    }
    return client
  }

  const run = async <Row>(name: string, statement: RawBuilder<Row>): Promise<Row[]> => {
    if (closed) throw new Error('the session is closed')
    opening ??= open().catch((error: unknown) => {
      opening = undefined
      throw error
    })
    const client = await opening
    const { sql: text, parameters }: CompiledQuery<Row> = statement.compile(kysely)
    const result = await client.query({ name, text, values: [...parameters] })
    return result.rows as Row[]
  }

  return {
    query: <Row>(name: string, statement: RawBuilder<Row>) => {
      const result = last.then(() => run(name, statement))
      last = result.catch(() => undefined)
      return result
    },
    close: async () => {
      closed = true
      await (await opening?.catch(() => undefined))?.end().catch(() => undefined)
    },
  }
}
