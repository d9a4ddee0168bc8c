import { type Kysely, sql, type Updateable } from 'kysely'
import type { Database } from '../db/database.ts'
import { DomainError } from '../domain/errors.ts'
import type { TransactionFailure } from '../domain/transaction-status.ts'
import type { TransactionRow } from './record.ts'

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

/** Reads and writes prepared_transactions. */
export interface TransactionStore {
  insertSimulated(transaction: NewTransaction): Promise<void>
  find(id: string): Promise<TransactionRow | null>
  /** Throws TRANSACTION_NOT_FOUND. */
  get(id: string): Promise<TransactionRow>
  /** Null if another process has written the row since it was read: then nothing is written. */
  update(row: TransactionRow, change: TransactionChange): Promise<TransactionRow | null>
  /** Leases up to `limit` submitted rows that are due. No other process gets them before `until`. */
  claim(options: { now: number; until: number; limit: number }): Promise<TransactionRow[]>
  /** Marks rows as failed that were not submitted before `blockHeight`. */
  expireUnsubmitted(blockHeight: number): Promise<void>
  /**
   * Deletes settled rows: after a day if they were never submitted, otherwise after 90 days. Returns
   * the number of rows.
   */
  deleteOld(now: number): Promise<number>
  /** Counts the rows that are not settled. */
  countOpen(): Promise<{ submitted: number; unsubmitted: number }>
}

const DAY_MS = 86_400_000
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const EXPIRED: TransactionFailure = {
  code: 'blockhash_expired',
  message: 'The block height passed lastValidBlockHeight. Prepare the transaction again.',
}

/** Calls `onOutcome` when `update` makes a row confirmed or failed. */
export function createTransactionStore(
  kysely: Kysely<Database>,
  onOutcome: (row: TransactionRow) => void = () => undefined,
): TransactionStore {
  const table = 'prepared_transactions'
  const find = async (id: string): Promise<TransactionRow | null> => {
    if (!ID.test(id)) return null
    return (await kysely.selectFrom(table).selectAll().where('id', '=', id).executeTakeFirst()) ?? null
  }
  return {
    insertSimulated: async ({ id, message, lastValidBlockHeight, sponsored = false, now }) => {
      const at = new Date(now)
      // Does not wait for the disk. If the database crashes now, the client prepares again.
      await sql`
        with asynchronous_commit as materialized (select set_config('synchronous_commit', 'off', true))
        insert into prepared_transactions
          (id, status, message, last_valid_block_height, sponsored, next_check_at, created_at)
        select ${id}, 'simulated', ${message}, ${lastValidBlockHeight}, ${sponsored}, ${at}::timestamptz, ${at}::timestamptz
        from asynchronous_commit
      `.execute(kysely)
    },
    find,
    get: async (id) => {
      const row = await find(id)
      if (row === null) throw new DomainError('TRANSACTION_NOT_FOUND')
      return row
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
      if (written.status !== status && ['confirmed', 'failed'].includes(written.status)) onOutcome(written)
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
      await sql`
        update prepared_transactions
        set status = 'failed', settled = true, version = version + 1, error = ${JSON.stringify(EXPIRED)}::jsonb
        where not settled and signed_tx is null and last_valid_block_height < ${blockHeight}`.execute(kysely)
    },
    deleteOld: async (now) => {
      const { numAffectedRows } = await sql`
        delete from prepared_transactions
        where settled and created_at < (
          case when signed_tx is null then ${new Date(now - DAY_MS)} else ${new Date(now - 90 * DAY_MS)} end
        )::timestamptz`.execute(kysely)
      return Number(numAffectedRows)
    },
    countOpen: async () => {
      const { rows } = await sql<{ submitted: number; unsubmitted: number }>`
        select count(signed_tx) as submitted, count(*) - count(signed_tx) as unsubmitted
        from prepared_transactions where not settled`.execute(kysely)
      return rows[0] ?? { submitted: 0, unsubmitted: 0 }
    },
  }
}
