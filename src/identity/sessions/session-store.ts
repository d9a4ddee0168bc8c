import { type Pubkey, pubkey } from '@agent-registry/solana'
import { type Kysely, sql } from 'kysely'
import type { Database } from '../../db/database.ts'

/** An open session. Times are ISO 8601. */
export interface Session {
  /** base64url SHA-256 of the token. */
  readonly tokenHash: string
  readonly wallet: Pubkey
  readonly createdAt: string
  /** Exact to a minute. */
  readonly lastUsedAt: string
  readonly expiresAt: string
}

/** Who sends a request. `session` is null if the wallet signed the request itself. */
export interface Caller {
  readonly wallet: Pubkey
  readonly session: Session | null
}

/** A wallet's open sessions. A new one ends the one that was not used for the longest time. */
export const MAX_PER_WALLET = 10
/** A session ends when it is not used for this long. */
export const IDLE_MS = 3_600_000
/** The time of the last use is written when it is older than this. */
const USE_INTERVAL_MS = 60_000
/** Each insert also deletes up to this many rows that have ended, so that the tables stay small. */
const DELETED_PER_INSERT = 10

/** The open sessions of all processes with this database. `now`: milliseconds since the epoch. */
interface SessionStore {
  add(session: Session, now: number): Promise<void>
  /** Returns an open session and counts this as its use. Null if there is none. */
  use(tokenHash: string, now: number): Promise<Session | null>
  /** Ends one session. Returns how many were open. */
  end(tokenHash: string): Promise<number>
  endAll(wallet: string): Promise<number>
}

const iso = (ms: number): string => new Date(ms).toISOString()

export function createSessionStore(kysely: Kysely<Database>): SessionStore {
  /** The latest sign-in of each wallet. The next one waits for it without a database connection. */
  const latest = new Map<string, Promise<void>>()
  const insert = ({ tokenHash, wallet, createdAt, expiresAt }: Session, now: number): Promise<void> =>
    kysely.transaction().execute(async (trx) => {
      // One sign-in of a wallet at a time, so that each sees the sessions before it.
      await sql`select pg_advisory_xact_lock(hashtextextended(${`sessions of ${wallet}`}, 0))`.execute(trx)
      await sql`
          with ended as materialized (
            select token_hash from wallet_sessions where used_at < ${iso(now - IDLE_MS)}
            order by used_at limit ${sql.lit(DELETED_PER_INSERT)} for update skip locked
          ),
          surplus as materialized (
            select token_hash from wallet_sessions where wallet = ${wallet} and used_at >= ${iso(now - IDLE_MS)}
            order by used_at desc offset ${sql.lit(MAX_PER_WALLET - 1)}
          ),
          removed as (
            delete from wallet_sessions
            where token_hash in (select token_hash from ended union select token_hash from surplus)
          )
          insert into wallet_sessions (token_hash, wallet, created_at, used_at, expires_at)
          values (${tokenHash}, ${wallet}, ${createdAt}, ${createdAt}, ${expiresAt})
        `.execute(trx)
    })
  return {
    add: (session, now) => {
      const { wallet } = session
      const before = latest.get(wallet) ?? Promise.resolve()
      const added = before.catch(() => undefined).then(() => insert(session, now))
      latest.set(wallet, added)
      return added.finally(() => {
        if (latest.get(wallet) === added) latest.delete(wallet)
      })
    },
    use: async (tokenHash, now) => {
      const row = await kysely
        .selectFrom('wallet_sessions')
        .select(['wallet', 'created_at', 'used_at', 'expires_at'])
        .where('token_hash', '=', tokenHash)
        .where('expires_at', '>', iso(now))
        .where('used_at', '>', iso(now - IDLE_MS))
        .executeTakeFirst()
      if (row === undefined) return null
      if (Date.parse(row.used_at) <= now - USE_INTERVAL_MS) {
        await kysely
          .updateTable('wallet_sessions')
          .set({ used_at: iso(now) })
          .where('token_hash', '=', tokenHash)
          .where('used_at', '=', row.used_at)
          .execute()
      }
      return {
        tokenHash,
        wallet: pubkey(row.wallet),
        createdAt: row.created_at,
        lastUsedAt: row.used_at,
        expiresAt: row.expires_at,
      }
    },
    end: async (tokenHash) => {
      const { numDeletedRows } = await kysely
        .deleteFrom('wallet_sessions')
        .where('token_hash', '=', tokenHash)
        .executeTakeFirst()
      return Number(numDeletedRows)
    },
    endAll: async (wallet) => {
      const { numDeletedRows } = await kysely
        .deleteFrom('wallet_sessions')
        .where('wallet', '=', wallet)
        .executeTakeFirst()
      return Number(numDeletedRows)
    },
  }
}

/** Nonces of sign-ins, shared by all processes with this database. Times are ISO 8601. */
export interface Challenges {
  add(nonce: string, expiresAt: string, now: string): Promise<void>
  /** Returns true only for the first use of a nonce that has not expired. */
  use(nonce: string, now: string): Promise<boolean>
}

export function createChallenges(kysely: Kysely<Database>): Challenges {
  return {
    add: async (nonce, expiresAt, now) => {
      await sql`
        with expired as materialized (
          select nonce from sign_in_challenges where expires_at < ${now}
          order by expires_at limit ${sql.lit(DELETED_PER_INSERT)} for update skip locked
        ),
        removed as (delete from sign_in_challenges c using expired where c.nonce = expired.nonce)
        insert into sign_in_challenges (nonce, expires_at) values (${nonce}, ${expiresAt})
      `.execute(kysely)
    },
    use: async (nonce, now) => {
      const { rows } = await sql`
        delete from sign_in_challenges where nonce = ${nonce} and expires_at > ${now} returning nonce
      `.execute(kysely)
      return rows.length === 1
    },
  }
}
