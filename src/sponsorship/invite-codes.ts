import { type Kysely, sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { inviteCodeHash, newInviteCode } from './invite-code.ts'

export interface InviteCodeRow {
  /** The first ten digits of the hash. */
  readonly id: string
  readonly maxUses: number
  /** Sponsorships that are reserved, submitted or confirmed. */
  readonly uses: number
  readonly expiresAt: string | null
  readonly revokedAt: string | null
  readonly createdAt: string
}

const ID_LENGTH = 10

/** Invite codes as the operator manages them. */
export interface InviteCodes {
  /** Only this call returns the code. The database has its hash. */
  create(options: { maxUses: number; expiresAt: Date | null }): Promise<{ code: string; id: string }>
  /** Adds an existing code. Does nothing if it is stored already. */
  ensure(code: string, maxUses: number): Promise<void>
  list(): Promise<InviteCodeRow[]>
  /**
   * Prepared registrations with the code can no longer be submitted. False if there is no such
   * code.
   */
  revoke(codeOrId: string): Promise<boolean>
}

export function createInviteCodes(kysely: Kysely<Database>): InviteCodes {
  const insert = async (code: string, maxUses: number, expiresAt: Date | null): Promise<string> => {
    const hash = inviteCodeHash(code)
    if (hash === null) throw new TypeError('not an invite code')
    await kysely
      .insertInto('invite_codes')
      .values({ hash, max_uses: maxUses, expires_at: expiresAt?.toISOString() ?? null })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    return hash.slice(0, ID_LENGTH)
  }
  return {
    create: async ({ maxUses, expiresAt }) => {
      const code = newInviteCode()
      return { code, id: await insert(code, maxUses, expiresAt) }
    },
    ensure: async (code, maxUses) => {
      await insert(code, maxUses, null)
    },
    list: async () => {
      const { rows } = await sql<InviteCodeRow>`
        select left(hash, ${sql.lit(ID_LENGTH)}) as id, max_uses as "maxUses", expires_at as "expiresAt",
          revoked_at as "revokedAt", created_at as "createdAt",
          (select count(*) from sponsorships
            where code_hash = hash and state in ('reserved', 'submitted', 'confirmed')) as uses
        from invite_codes order by created_at, hash`.execute(kysely)
      return rows
    },
    revoke: async (codeOrId) => {
      const hash = inviteCodeHash(codeOrId)
      const { rows } = await sql`
        update invite_codes set revoked_at = coalesce(revoked_at, now())
        where hash = ${hash ?? ''} or left(hash, ${sql.lit(ID_LENGTH)}) = ${codeOrId}
        returning hash`.execute(kysely)
      return rows.length > 0
    },
  }
}
