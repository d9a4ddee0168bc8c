import { type Kysely, sql, type Transaction } from 'kysely'
import type { Pubkey } from '@agent-registry/solana'
import type { Database } from '../db/database.ts'
import { readUsage, type SponsorshipUsage } from './usage.ts'
import type { SponsorshipKind } from '../domain/sponsorship.ts'
import type { SponsorshipRequest } from './applicant.ts'

export interface Reservation extends SponsorshipRequest {
  /** Of the prepared transaction. */
  readonly id: string
  readonly agentPda: Pubkey | null
  /** The most that the transaction can cost. */
  readonly lamports: bigint
}

/** What the sponsorship of a prepared transaction is when it is submitted. */
export interface OpenSponsorship {
  readonly kind: SponsorshipKind
  readonly wallet: Pubkey
  readonly code_hash: string | null
  readonly agent_pda: Pubkey | null
  readonly state: string
}

/** Held while quotas are counted and taken, by all processes on the database: what was counted is still so when it is taken. */
export const RESERVATION_LOCK = 7_120_311
/** A process that hangs while it holds the lock must not stop the others for long. Milliseconds. */
const LOCKED_AT_MOST = 5_000

/** Takes what a sponsorship uses up (code, wallet, client, budget), all of it or nothing. */
export interface Reservations {
  /** `judge` throws where the facts do not allow it; nothing is taken then. */
  reserve(reservation: Reservation, judge: (facts: SponsorshipUsage) => void): Promise<void>
  /** Gives back what was reserved for a transaction that was never stored. */
  cancel(id: string): Promise<void>
  find(id: string): Promise<OpenSponsorship | null>
  /** The facts without taking anything. */
  readUsage(applicant: SponsorshipRequest): Promise<SponsorshipUsage>
  /** Runs `work` in one transaction under the lock. */
  withLock<Result>(work: (trx: Transaction<Database>) => Promise<Result>): Promise<Result>
}

export function createReservations(kysely: Kysely<Database>): Reservations {
  const locked: Reservations['withLock'] = (work) =>
    kysely.transaction().execute(async (trx) => {
      await sql`
        select set_config('statement_timeout', ${String(LOCKED_AT_MOST)}, true),
          set_config('idle_in_transaction_session_timeout', ${String(LOCKED_AT_MOST)}, true)`.execute(trx)
      await sql`select pg_advisory_xact_lock(${sql.lit(RESERVATION_LOCK)})`.execute(trx)
      return work(trx)
    })
  return {
    withLock: locked,
    reserve: (reservation, judge) =>
      locked(async (trx) => {
        await releaseLost(trx)
        judge(await readUsage(trx, reservation))
        const { id, kind, wallet, agentPda, codeHash, clientNetwork: network, lamports } = reservation
        await trx
          .insertInto('sponsorships')
          .values({
            id,
            kind,
            wallet,
            agent_pda: agentPda,
            code_hash: codeHash,
            client_network: network,
            reserved_lamports: Number(lamports),
          })
          .execute()
      }),
    cancel: async (id) => {
      await sql`
        delete from sponsorships where id = ${id} and state = 'reserved'
          and not exists (select from prepared_transactions as p where p.id = sponsorships.id)`.execute(
        kysely,
      )
    },
    find: async (id) =>
      ((await kysely
        .selectFrom('sponsorships')
        .select(['kind', 'wallet', 'code_hash', 'agent_pda', 'state'])
        .where('id', '=', id)
        .executeTakeFirst()) as OpenSponsorship | undefined) ?? null,
    readUsage: (applicant) => readUsage(kysely, applicant),
  }
}

/** How many sponsored transactions may still cost something. */
export async function countOpen(kysely: Kysely<Database>): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from sponsorships where state in ('reserved', 'submitted')`.execute(kysely)
  return rows[0]?.count ?? 0
}

/** Where a process died between reserving and storing the transaction. A prepare lasts seconds. */
async function releaseLost(trx: Transaction<Database>): Promise<void> {
  await sql`
    update sponsorships set state = 'released', updated_at = clock_timestamp()
    where state = 'reserved' and created_at < clock_timestamp() - interval '3 minutes'
      and not exists (select from prepared_transactions as p where p.id = sponsorships.id)`.execute(trx)
}
