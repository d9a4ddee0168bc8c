import type { Selectable } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { TrustedIssuer as TrustedIssuerEntity } from '../../../db/entities/credentials.ts'
import type { EntityManager } from '../../../db/orm-types.ts'
import type { Clock } from '../../../platform/clock.ts'
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

export function createTrustedIssuers({ em, clock }: { em: EntityManager; clock: Clock }): TrustedIssuers {
  let latest: { readonly registry: Promise<TrustRegistry>; readonly readAt: number } | null = null

  async function list(): Promise<TrustedIssuer[]> {
    const rows = await em.getKysely().selectFrom('trusted_issuers').selectAll().orderBy('did').execute()
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
    const now = new Date(clock.now()).toISOString()
    const row = {
      did,
      allowedTypes: allowedTypes === null ? null : [...allowedTypes],
      pinnedKeys: derivedKeys(did) === null ? [...keys] : null,
      notBefore,
      notAfter,
      enabled: true,
      createdAt: now,
      updatedAt: now,
    }
    const fork = em.fork()
    const isNew = (await fork.count(TrustedIssuerEntity, { did })) === 0
    await fork.upsert(TrustedIssuerEntity, row, { onConflictExcludeFields: ['createdAt'] })
    latest = null
    return isNew ? 'added' : 'replaced'
  }

  async function setEnabled(did: string, enabled: boolean): Promise<boolean> {
    const updatedAt = new Date(clock.now()).toISOString()
    const updated = await em.fork().nativeUpdate(TrustedIssuerEntity, { did }, { enabled, updatedAt })
    latest = null
    return updated > 0
  }

  async function remove(did: string): Promise<boolean> {
    const removed = await em.fork().nativeDelete(TrustedIssuerEntity, { did })
    latest = null
    return removed > 0
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
