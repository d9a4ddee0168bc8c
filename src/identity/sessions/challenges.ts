import { type Kysely, sql } from 'kysely'
import type { Database } from '../../db/database.ts'

/** Each new challenge deletes up to this many expired ones, so that the table stays small. */
const DELETED_PER_INSERT = 10

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
