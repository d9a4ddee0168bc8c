import { type Kysely, type Selectable, sql } from 'kysely'
import type { IssuerKey } from '../../../domain/credential-verdict.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Database } from '../../../db/database.ts'
import { derivedKeys } from './derived-keys.ts'
import { type TrustedIssuer, type TrustRegistry, trustRegistry } from './issuer.ts'

/** How long the list is cached, in milliseconds. */
const FRESH_MS = 1_000

/** The trusted issuers. The list is short, so it is read as a whole. */
export interface TrustedIssuers {
  /** The list, at most one second old. */
  current(): Promise<TrustRegistry>
  list(): Promise<TrustedIssuer[]>
  /** Adds an issuer, or replaces the one with the same DID. Returns which of them it did. */
  put(issuer: NewIssuer): Promise<'added' | 'replaced'>
  /** False if there is no such issuer. */
  setEnabled(did: string, enabled: boolean): Promise<boolean>
  remove(did: string): Promise<boolean>
}

/** The result of `checkIssuer`. `keys` are stored only if the DID does not contain them. */
export type NewIssuer = Omit<TrustedIssuer, 'enabled'>

export function createTrustedIssuers({
  kysely,
  clock,
}: {
  kysely: Kysely<Database>
  clock: Clock
}): TrustedIssuers {
  let latest: { readonly registry: Promise<TrustRegistry>; readonly readAt: number } | null = null

  async function list(): Promise<TrustedIssuer[]> {
    const rows = await kysely.selectFrom('trusted_issuers').selectAll().orderBy('did').execute()
    return rows.map(toIssuer)
  }

  async function current(): Promise<TrustRegistry> {
    const now = clock.now()
    const age = latest === null ? Infinity : now - latest.readAt
    if (latest === null || age > FRESH_MS || age < 0) {
      const reading = { registry: list().then(trustRegistry), readAt: now }
      latest = reading
      reading.registry.catch(() => {
        if (latest === reading) latest = null
      })
    }
    return latest.registry
  }

  async function put({
    did,
    allowedTypes,
    keys,
    notBefore,
    notAfter,
  }: NewIssuer): Promise<'added' | 'replaced'> {
    const updatedAt = new Date(clock.now()).toISOString()
    const values = {
      allowed_types: allowedTypes === null ? null : [...allowedTypes],
      pinned_keys: derivedKeys(did) === null ? sql<IssuerKey[]>`${JSON.stringify(keys)}::jsonb` : null,
      not_before: notBefore,
      not_after: notAfter,
      enabled: true,
      updated_at: updatedAt,
    }
    const { isNew } = await kysely
      .insertInto('trusted_issuers')
      .values({ did, ...values, created_at: updatedAt })
      .onConflict((conflict) => conflict.column('did').doUpdateSet(values))
      // An update does not use the column's default.
      .returning(sql<boolean>`xmax = 0`.as('isNew'))
      .executeTakeFirstOrThrow()
    latest = null
    return isNew ? 'added' : 'replaced'
  }

  async function setEnabled(did: string, enabled: boolean): Promise<boolean> {
    const { numUpdatedRows } = await kysely
      .updateTable('trusted_issuers')
      .set({ enabled, updated_at: new Date(clock.now()).toISOString() })
      .where('did', '=', did)
      .executeTakeFirst()
    latest = null
    return numUpdatedRows > 0n
  }

  async function remove(did: string): Promise<boolean> {
    const { numDeletedRows } = await kysely
      .deleteFrom('trusted_issuers')
      .where('did', '=', did)
      .executeTakeFirst()
    latest = null
    return numDeletedRows > 0n
  }

  return { current, list, put, setEnabled, remove }
}

function toIssuer(row: Selectable<Database['trusted_issuers']>): TrustedIssuer {
  return {
    did: row.did,
    allowedTypes: row.allowed_types,
    keys: derivedKeys(row.did) ?? row.pinned_keys ?? [],
    notBefore: row.not_before,
    notAfter: row.not_after,
    enabled: row.enabled,
  }
}
