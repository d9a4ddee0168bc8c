import type { Kysely } from 'kysely'
import type { Database } from '../../db/database.ts'

/** Gets events of the outbox, in the transaction that writes or removes them. */
export interface EventSink {
  /** New and changed events. */
  added(db: Kysely<Database>, outboxIds: readonly string[]): Promise<void>
  /** Events that a fork removed. */
  removed(db: Kysely<Database>, outboxIds: readonly string[]): Promise<void>
}
