import { type Kysely, sql, type Updateable } from 'kysely'
import type { Database } from '../db/database.ts'
import { isTransactionId, type TransactionRow } from './record.ts'

export interface NewTransaction {
  readonly id: string
  readonly message: string
  readonly lastValidBlockHeight: number
  readonly sponsored?: boolean
  /** Milliseconds since the epoch. */
  readonly now: number
}

export type TransactionChange = Omit<
  Updateable<Database['prepared_transactions']>,
  'id' | 'version' | 'created_at' | 'message' | 'last_valid_block_height'
>

/** The one place that reads and writes prepared_transactions. */
export interface TransactionStore {
  insertSimulated(transaction: NewTransaction): Promise<void>
  find(id: string): Promise<TransactionRow | null>
  /** Writes if nobody wrote since the row was read; null if somebody did. */
  update(row: TransactionRow, change: TransactionChange): Promise<TransactionRow | null>
  /** Takes up to `limit` submitted rows that are due, and keeps others off them until `until`. */
  claim(options: { now: number; until: number; limit: number }): Promise<TransactionRow[]>
  /** Ends the rows that were never submitted and no longer can be. Returns how many. */
  expireUnsubmitted(blockHeight: number): Promise<number>
  /** Forgets rows that are settled and old: those never submitted after a day, the others after 90. Returns how many. */
  deleteOld(now: number): Promise<number>
  /** How many are not settled. */
  open(): Promise<{ submitted: number; unsubmitted: number }>
}

const DAY_MS = 86_400_000
const ENDS: ReadonlySet<string> = new Set(['confirmed', 'failed'])

export const EXPIRED = {
  code: 'blockhash_expired',
  message: 'The block height passed lastValidBlockHeight: prepare the transaction again',
} as const

/** `onEnd` is told of rows that `update` makes confirmed or failed. */
export function createTransactionStore(
  kysely: Kysely<Database>,
  onEnd: (row: TransactionRow) => void = () => undefined,
): TransactionStore {
  const table = 'prepared_transactions'
  return {
    insertSimulated: async ({ id, message, lastValidBlockHeight, sponsored = false, now }) => {
      const at = new Date(now)
      // Not waiting for the disk: should the server crash within the second, the client prepares again.
      await sql`
        with quick as materialized (select set_config('synchronous_commit', 'off', true))
        insert into prepared_transactions
          (id, status, message, last_valid_block_height, sponsored, next_check_at, created_at)
        select ${id}, 'simulated', ${message}, ${lastValidBlockHeight}, ${sponsored}, ${at}::timestamptz, ${at}::timestamptz
        from quick
      `.execute(kysely)
    },
    find: async (id) => {
      if (!isTransactionId(id)) return null
      return (await kysely.selectFrom(table).selectAll().where('id', '=', id).executeTakeFirst()) ?? null
    },
    update: async ({ id, version, status }, change) => {
      const written = await kysely
        .updateTable(table)
        .set({ ...change, version: version + 1 })
        .where('id', '=', id)
        .where('version', '=', version)
        .returningAll()
        .executeTakeFirst()
      if (written === undefined) return null
      if (written.status !== status && ENDS.has(written.status)) onEnd(written)
      return written
    },
    claim: async ({ now, until, limit }) => {
      const { rows } = await sql<TransactionRow>`
        update prepared_transactions
        set next_check_at = ${new Date(until)}, version = version + 1
        where id in (
          select id from prepared_transactions
          where not settled and signed_tx is not null and next_check_at <= ${new Date(now)}
          order by next_check_at limit ${limit} for update skip locked
        )
        returning *`.execute(kysely)
      return rows
    },
    expireUnsubmitted: async (blockHeight) => {
      const { rows } = await sql`
        update prepared_transactions
        set status = 'failed', settled = true, version = version + 1, error = ${JSON.stringify(EXPIRED)}::jsonb
        where not settled and signed_tx is null and last_valid_block_height < ${blockHeight}
        returning id`.execute(kysely)
      return rows.length
    },
    deleteOld: async (now) => {
      const { rows } = await sql`
        delete from prepared_transactions
        where settled and created_at < (
          case when signed_tx is null then ${new Date(now - DAY_MS)} else ${new Date(now - 90 * DAY_MS)} end
        )::timestamptz
        returning id`.execute(kysely)
      return rows.length
    },
    open: async () => {
      const { rows } = await sql<{ submitted: number; unsubmitted: number }>`
        select count(signed_tx) as submitted, count(*) - count(signed_tx) as unsubmitted
        from prepared_transactions where not settled`.execute(kysely)
      return rows[0] ?? { submitted: 0, unsubmitted: 0 }
    },
  }
}
