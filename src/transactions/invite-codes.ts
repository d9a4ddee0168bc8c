import { createHash, randomBytes } from 'node:crypto'
import { raw } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { InviteCode } from '../db/entities/sponsorship.ts'
import type { EntityManager } from '../db/orm-types.ts'
import { codeUses } from './quota.ts'

export interface InviteCodeRow {
  /** The first ten digits of the hash. */
  readonly id: string
  readonly maxUses: number
  /** Registrations that are submitted or confirmed. Failed ones after the first three count too. */
  readonly uses: number
  readonly expiresAt: string | null
  readonly revokedAt: string | null
  readonly createdAt: string
}

/** The uses of a code. */
export const CODE_USES = { min: 1, max: 1_000_000 } as const

const ID_LENGTH = 10
export const isInviteCodeId = (text: string): boolean => /^[0-9a-f]{10}$/.test(text)

export type InviteCodes = ReturnType<typeof createInviteCodes>

/** Invite codes as the operator manages them. */
export function createInviteCodes(em: EntityManager) {
  const insert = async (code: string, maxUses: number, expiresAt: Date | null): Promise<string> => {
    const hash = inviteCodeHash(code)
    if (hash === null) throw new TypeError('not an invite code')
    const row = { hash, maxUses, expiresAt: expiresAt?.toISOString() ?? null }
    await em.fork().upsert(InviteCode, row, { onConflictAction: 'ignore' })
    return hash.slice(0, ID_LENGTH)
  }
  return {
    /** Only this call returns the code. The database has its hash. */
    create: async ({ maxUses, expiresAt }: { maxUses: number; expiresAt: Date | null }) => {
      const code = newInviteCode()
      return { code, id: await insert(code, maxUses, expiresAt) }
    },
    /** Adds an existing code. Does nothing if it is stored already. */
    ensure: (code: string, maxUses: number) => insert(code, maxUses, null),
    /** The newest ones, the oldest of them first. Null: all. */
    list: async (newest: number | null = null): Promise<InviteCodeRow[]> => {
      const { rows } = await sql<InviteCodeRow>`
        select left(hash, ${sql.lit(ID_LENGTH)}) as id, max_uses as "maxUses", expires_at as "expiresAt",
          revoked_at as "revokedAt", created_at as "createdAt",
          ${codeUses(sql`hash`)} as uses
        from invite_codes order by created_at desc, hash desc limit ${newest}`.execute(em.getKysely())
      return rows.toReversed()
    },
    /** Its prepared registrations can no longer be submitted. False if there is no such code. */
    revoke: async (codeOrId: string): Promise<boolean> => {
      const hash = inviteCodeHash(codeOrId)
      if (hash === null && !isInviteCodeId(codeOrId)) return false
      const where = { hash: hash ?? { $like: `${codeOrId}%` } }
      const revoked = { revokedAt: raw('coalesce(revoked_at, now())') }
      return (await em.fork().nativeUpdate(InviteCode, where, revoked)) > 0
    },
  }
}

/** Crockford's base 32: no two characters look alike. Each has 5 bits, a code has 100. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const LENGTH = 20

/** A new code in the form `XXXXX-XXXXX-XXXXX-XXXXX`. */
export function newInviteCode(): string {
  const characters = Array.from(randomBytes(LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join('')
  return characters.replace(/.{5}(?=.)/g, '$&-')
}

/** Hex of its SHA-256. Case, spaces and hyphens do not count; O, I, L are digits. Or null. */
export function inviteCodeHash(code: string): string | null {
  if (code.length > 64) return null
  const characters = code.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1')
  if (characters.length !== LENGTH || !/^[0-9A-HJKMNP-TV-Z]+$/.test(characters)) return null
  return createHash('sha256').update(characters).digest('hex')
}
