import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import type { Pubkey } from '@agent-registry/solana'
import type { Database } from '../db/database.ts'
import { readUsage, type SponsorshipRequest, type SponsorshipUsage } from './usage.ts'

export interface Reservation extends SponsorshipRequest {
  /** The id of the prepared transaction. */
  readonly id: string
  readonly agentPda: Pubkey | null
  /** The most that the transaction can cost. */
  readonly lamports: bigint
}

/** The sponsorship of a prepared transaction. */
export type StoredSponsorship = Pick<
  Selectable<Database['sponsorships']>,
  'kind' | 'wallet' | 'code_hash' | 'agent_pda' | 'state'
>

/** All processes hold this lock while they read the usage and write a reservation. */
export const RESERVATION_LOCK = 7_120_311
/** A process that hangs must not hold the lock longer. */
const LOCK_TIMEOUT_MS = 5_000

export type Reservations = ReturnType<typeof createReservations>

/** Reserves what a sponsorship uses (code, wallet, client, budget): all of it or nothing. */
export function createReservations(kysely: Kysely<Database>) {
  /** Runs `work` in one transaction that holds the lock. */
  const withLock = <Result>(work: (trx: Transaction<Database>) => Promise<Result>): Promise<Result> =>
    kysely.transaction().execute(async (trx) => {
      const timeout = String(LOCK_TIMEOUT_MS)
      await sql`
        select set_config('statement_timeout', ${timeout}, true),
          set_config('idle_in_transaction_session_timeout', ${timeout}, true)`.execute(trx)
      await sql`select pg_advisory_xact_lock(${sql.lit(RESERVATION_LOCK)})`.execute(trx)
      return work(trx)
    })
  return {
    withLock,

    /** Reserves nothing if `check` throws. */
    reserve: (reservation: Reservation, check: (usage: SponsorshipUsage) => void): Promise<void> =>
      withLock(async (trx) => {
        await releaseAbandoned(trx)
        check(await readUsage(trx, reservation))
        const { id, kind, wallet, agentPda, codeHash, clientNetwork, lamports } = reservation
        await trx
          .insertInto('sponsorships')
          .values({
            id,
            kind,
            wallet,
            agent_pda: agentPda,
            code_hash: codeHash,
            client_network: clientNetwork,
            reserved_lamports: Number(lamports),
          })
          .execute()
      }),

    /** Deletes the reservation of a transaction that was not stored. */
    cancel: async (id: string): Promise<void> => {
      await sql`
        delete from sponsorships where id = ${id} and state = 'reserved'
          and not exists (select from prepared_transactions as p where p.id = sponsorships.id)`.execute(
        kysely,
      )
    },

    find: (id: string): Promise<StoredSponsorship | undefined> =>
      kysely
        .selectFrom('sponsorships')
        .select(['kind', 'wallet', 'code_hash', 'agent_pda', 'state'])
        .where('id', '=', id)
        .executeTakeFirst(),

    readUsage: (request: SponsorshipRequest) => readUsage(kysely, request),
  }
}

/** Counts the sponsored transactions that may still cost something. */
export async function countOpen(kysely: Kysely<Database>): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from sponsorships where state in ('reserved', 'submitted')`.execute(kysely)
  return rows[0]?.count ?? 0
}

/**
 * Releases what a process reserved before it died. A prepare takes seconds, so three minutes are
 * safe.
 */
async function releaseAbandoned(trx: Transaction<Database>): Promise<void> {
  await sql`
    update sponsorships set state = 'released', updated_at = clock_timestamp()
    where state = 'reserved' and created_at < clock_timestamp() - interval '3 minutes'
      and not exists (select from prepared_transactions as p where p.id = sponsorships.id)`.execute(trx)
}
