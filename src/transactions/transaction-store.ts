import { OptimisticLockError } from '@mikro-orm/core'
import { raw } from '@mikro-orm/postgresql'
import { type Kysely, sql } from 'kysely'
import { signatureBytes } from '@agent-registry/solana'
import { columnsOf, type RowOf } from '../db/columns-of.ts'
import type { Database } from '../db/database.ts'
import { PreparedTransaction } from '../db/entities/prepared-transactions.ts'
import { Sponsorship } from '../db/entities/sponsorship.ts'
import type { EntityManager } from '../db/orm-types.ts'
import type { TransactionFailure } from '../domain/transaction-status.ts'
import { DomainError } from '../domain/errors.ts'
import { isUuid } from '../domain/uuid.ts'

export type TransactionRow = Readonly<RowOf<typeof PreparedTransaction>>

/** For statements that the EntityManager cannot write. */
const columns = columnsOf(PreparedTransaction, [])

/** The part of a row that clients see. `error` is not null exactly when the status is `failed`. */
export type TransactionRecord = Readonly<ReturnType<typeof toRecord>>

/** Times are ISO 8601. */
export function toRecord(row: TransactionRow) {
  const { id, status, signature, error, slot, sponsored, settled, message, lastValidBlockHeight } = row
  const times = { preparedAt: row.createdAt, submittedAt: row.sentAt }
  return { id, status, signature, error, slot, sponsored, settled, message, ...times, lastValidBlockHeight }
}

export const EXPIRED: TransactionFailure = {
  code: 'blockhash_expired',
  message:
    'The block height passed lastValidBlockHeight, and the transaction is not on the ledger. Prepare the transaction again.',
}

export const DROPPED: TransactionFailure = {
  code: 'dropped',
  message: 'A fork removed the transaction from the ledger and it expired. Prepare it again.',
}

export const OUTCOME_UNKNOWN: TransactionFailure = {
  code: 'outcome_unknown',
  message:
    'The block height passed lastValidBlockHeight. It could not be determined whether the transaction landed. Check the ledger before you prepare it again.',
}

type NewRow = Pick<TransactionRow, 'id' | 'message' | 'lastValidBlockHeight' | 'blockhashSlot'>

export interface NewTransaction extends NewRow {
  readonly matchKey?: string | null
  readonly sponsored?: boolean
  /** A sponsored registration counts for its network while it can be signed. */
  readonly registration?: { codeHash: string | null; clientNetwork: string; wallet: string }
  /** Milliseconds since the epoch. */
  readonly now: number
}

export type TransactionChange = Partial<
  Omit<TransactionRow, 'id' | 'version' | 'createdAt' | 'message' | 'lastValidBlockHeight' | 'blockhashSlot'>
>

const DAY_MS = 86_400_000
/** How long settled rows are kept. What never landed costs its sender almost nothing. */
export const RETENTION_DAYS = { unsubmitted: 1, notLanded: 7, landed: 90 } as const
/** Somebody can prepare the same transaction many times. */
const MAX_MATCHES = 200

/** Reads and writes prepared_transactions. `onOutcome`: a row became confirmed or failed. */
export class TransactionStore {
  readonly #em: EntityManager
  readonly #kysely: Kysely<Database>
  readonly #onOutcome: (row: TransactionRow) => void

  constructor(em: EntityManager, onOutcome: (row: TransactionRow) => void = () => undefined) {
    this.#em = em
    this.#kysely = em.getKysely()
    this.#onOutcome = onOutcome
  }

  /** `kysely`: the database transaction that the row belongs to, if any. */
  async insertSimulated(transaction: NewTransaction, kysely = this.#kysely): Promise<void> {
    const { id, message, lastValidBlockHeight, blockhashSlot, sponsored = false } = transaction
    const { matchKey = null, registration } = transaction
    const { codeHash = null, clientNetwork = null, wallet = null } = registration ?? {}
    const now = new Date(transaction.now)
    // One statement that does not wait for the disk: if the database crashes now, the client
    // prepares again. Through the EntityManager a preparation would take 10 % longer.
    await sql`
      with asynchronous_commit as materialized (select set_config('synchronous_commit', 'off', true))
      insert into prepared_transactions
        (id, status, message, match_key, last_valid_block_height, blockhash_slot, sponsored,
          invite_code_hash, client_network, wallet, next_check_at, created_at)
      select ${id}, 'simulated', ${message}, ${matchKey}, ${lastValidBlockHeight}, ${blockhashSlot},
        ${sponsored}, ${codeHash}, ${clientNetwork}, ${wallet}, ${now}::timestamptz, ${now}::timestamptz
      from asynchronous_commit
    `.execute(kysely)
  }

  async find(id: string): Promise<TransactionRow | null> {
    return isUuid(id) ? this.#em.fork().findOne(PreparedTransaction, id) : null
  }

  /** Throws TRANSACTION_NOT_FOUND. */
  async get(id: string): Promise<TransactionRow> {
    return found(await this.find(id))
  }

  /** Throws TRANSACTION_NOT_FOUND. */
  async getBySignature(signature: string): Promise<TransactionRow> {
    if (signatureBytes(signature) === null) return found(null)
    return found(await this.#em.fork().findOne(PreparedTransaction, { signature }))
  }

  /** Null if another process has written the row since it was read: then nothing is written. */
  async update(row: TransactionRow, change: TransactionChange): Promise<TransactionRow | null> {
    const em = this.#em.fork()
    const written = em.merge(PreparedTransaction, { ...row })
    em.assign(written, change)
    try {
      await em.flush()
    } catch (error) {
      if (error instanceof OptimisticLockError) return null
      throw error
    }
    const hasOutcome = written.status === 'confirmed' || written.status === 'failed'
    if (hasOutcome && written.status !== row.status) this.#onOutcome(written)
    return written
  }

  /** Leases up to `limit` due rows that were submitted. Nobody else gets them before `until`. */
  async claim(options: { now: number; until: number; limit: number }): Promise<TransactionRow[]> {
    const { rows } = await sql<TransactionRow>`
      update prepared_transactions
      set next_check_at = ${new Date(options.until)}, version = version + 1
      where id in (
        select id from prepared_transactions
        where not settled and signed_tx is not null and next_check_at <= ${new Date(options.now)}
        order by next_check_at limit ${options.limit} for update skip locked
      )
      returning ${columns}`.execute(this.#kysely)
    return rows
  }

  /** Fails sponsored rows that expired before a submit: nobody has the fee payer's signature. */
  async expireSponsored(blockHeight: number): Promise<void> {
    await this.#em
      .fork()
      .nativeUpdate(
        PreparedTransaction,
        { settled: false, signedTx: null, sponsored: true, lastValidBlockHeight: { $lt: blockHeight } },
        { status: 'failed', settled: true, error: EXPIRED },
      )
  }

  /** Leases due rows that expired before a submit, not sponsored, `perPayer` of a fee payer. */
  async claimExpired(
    options: Record<'blockHeight' | 'now' | 'until' | 'limit' | 'perPayer', number>,
  ): Promise<TransactionRow[]> {
    const { blockHeight, now, until, limit, perPayer } = options
    // The first key of a v0 message is the fee payer, bytes 6 to 37 counted from 1. These
    // characters are 30 of its bytes: to decode 100,000 messages would take most of the time.
    const { rows } = await sql<TransactionRow>`
      with due as (
        select id, next_check_at, row_number() over (
          partition by substring(message from 9 for 40) order by next_check_at
        ) as position
        from prepared_transactions
        where not settled and signed_tx is null and not sponsored
          and last_valid_block_height < ${blockHeight} and next_check_at <= ${new Date(now)}
      )
      update prepared_transactions
      set next_check_at = ${new Date(until)}, version = version + 1
      where id in (
        select id from prepared_transactions
        where id in (select id from due where position <= ${perPayer} order by next_check_at limit ${limit})
          and signed_tx is null and next_check_at <= ${new Date(now)}
        for update skip locked
      )
      returning ${columns}`.execute(this.#kysely)
    return rows
  }

  /** The newest rows of every status whose message has one of these keys. */
  async findByMatchKeys(keys: readonly string[]): Promise<TransactionRow[]> {
    const { rows } = await sql<TransactionRow>`
      select ${columns} from prepared_transactions where match_key = any(${keys}::text[])
      order by created_at desc limit ${sql.lit(MAX_MATCHES)}`.execute(this.#kysely)
    return rows
  }

  /** Which of these signatures the rows have. */
  async findSignatures(signatures: readonly string[]): Promise<Set<string>> {
    const { rows } = await sql<{ signature: string }>`
      select signature from prepared_transactions where signature = any(${signatures}::text[])`.execute(
      this.#kysely,
    )
    return new Set(rows.map((row) => row.signature))
  }

  /** Deletes settled rows after RETENTION_DAYS. Returns the number of rows. */
  async deleteOld(now: number): Promise<number> {
    const em = this.#em.fork()
    const before = (days: number) => ({ $lt: new Date(now - days * DAY_MS).toISOString() })
    // The clock is that of the database, as for quotas. Quotas need client networks for a day, and
    // released sponsorships never.
    const older = (days: number) => ({ $lt: raw(`now() - interval '${days} days'`) })
    const old = { clientNetwork: { $ne: null }, createdAt: older(2) }
    await em.nativeUpdate(Sponsorship, old, { clientNetwork: null })
    await em.nativeDelete(Sponsorship, { state: 'released', createdAt: older(7) })
    return em.nativeDelete(PreparedTransaction, {
      settled: true,
      $or: [
        { signedTx: null, createdAt: before(RETENTION_DAYS.unsubmitted) },
        { signedTx: { $ne: null }, slot: null, createdAt: before(RETENTION_DAYS.notLanded) },
        { signedTx: { $ne: null }, createdAt: before(RETENTION_DAYS.landed) },
      ],
    })
  }

  /** Counts the rows that are not settled. */
  async countOpen(): Promise<{ submitted: number; unsubmitted: number }> {
    const { rows } = await sql<{ submitted: number; unsubmitted: number }>`
      select count(signed_tx) as submitted, count(*) - count(signed_tx) as unsubmitted
      from prepared_transactions where not settled`.execute(this.#kysely)
    return rows[0] ?? { submitted: 0, unsubmitted: 0 }
  }
}

function found(row: TransactionRow | null): TransactionRow {
  if (row === null) throw new DomainError('TRANSACTION_NOT_FOUND')
  return row
}
