import { isPubkey } from '@agent-registry/solana'
import type { RowOf } from '../../db/columns-of.ts'
import { TrustedIssuer as TrustedIssuerEntity } from '../../db/entities/credentials.ts'
import type { EntityManager } from '../../db/orm-types.ts'
import type { Clock } from '../../platform/clock.ts'
import type { IssuerKey } from '../../domain/credential-verdict.ts'
import { isSmallOrderKey } from '../../domain/ed25519.ts'
import { keyFromMultibase, knownKind, parseDateTimeStamp } from './formats.ts'

/** How long the list is cached, in milliseconds. */
const FRESH_MS = 1_000

/** The result of `checkIssuer`. `keys` are stored only if the DID does not contain them. */
export type NewIssuer = Omit<TrustedIssuer, 'enabled'>

export type TrustedIssuers = ReturnType<typeof createTrustedIssuers>

/** The trusted issuers. The list is short, so it is read as a whole. */
export function createTrustedIssuers({ em, clock }: { em: EntityManager; clock: Clock }) {
  const list = async (): Promise<TrustedIssuer[]> => {
    const rows = await em.fork().findAll(TrustedIssuerEntity, { orderBy: { did: 'asc' } })
    return rows.map(toIssuer)
  }
  const now = (): string => new Date(clock.now()).toISOString()
  let latest: { readonly registry: Promise<TrustRegistry>; readonly readAt: number } | null = null
  return {
    /** The list, at most one second old. */
    current: async (): Promise<TrustRegistry> => {
      const age = latest === null ? Infinity : clock.now() - latest.readAt
      if (latest === null || age > FRESH_MS || age < 0) {
        const reading = { registry: list().then(trustRegistry), readAt: clock.now() }
        latest = reading
        reading.registry.catch(() => {
          if (latest === reading) latest = null
        })
      }
      return latest.registry
    },
    list,
    /** Adds an issuer, or replaces the one with the same DID. Returns which of them it did. */
    put: async ({ did, keys, ...issuer }: NewIssuer): Promise<'added' | 'replaced'> => {
      const row = {
        ...issuer,
        did,
        allowedTypes: issuer.allowedTypes && [...issuer.allowedTypes],
        pinnedKeys: derivedKeys(did) === null ? [...keys] : null,
        enabled: true,
        createdAt: now(),
        updatedAt: now(),
      }
      const fork = em.fork()
      const isNew = (await fork.count(TrustedIssuerEntity, { did })) === 0
      await fork.upsert(TrustedIssuerEntity, row, { onConflictExcludeFields: ['createdAt'] })
      latest = null
      return isNew ? 'added' : 'replaced'
    },
    /** False if there is no such issuer. */
    setEnabled: async (did: string, enabled: boolean): Promise<boolean> => {
      const change = { enabled, updatedAt: now() }
      const updated = await em.fork().nativeUpdate(TrustedIssuerEntity, { did }, change)
      latest = null
      return updated > 0
    },
    remove: async (did: string): Promise<boolean> => {
      const removed = await em.fork().nativeDelete(TrustedIssuerEntity, { did })
      latest = null
      return removed > 0
    },
  }
}

function toIssuer(row: RowOf<typeof TrustedIssuerEntity>): TrustedIssuer {
  const { did, allowedTypes, pinnedKeys, notBefore, notAfter, enabled } = row
  return { did, allowedTypes, keys: derivedKeys(did) ?? pinnedKeys ?? [], notBefore, notAfter, enabled }
}

/** A trusted issuer. */
export interface TrustedIssuer {
  readonly did: string
  /** The types that it may issue, without VerifiableCredential. Null allows every type. */
  readonly allowedTypes: readonly string[] | null
  readonly keys: readonly IssuerKey[]
  /** ISO 8601. Null: no limit. */
  readonly notBefore: string | null
  readonly notAfter: string | null
  readonly enabled: boolean
}

/** Finds an issuer in the list as it was at one moment. */
export interface TrustRegistry {
  find(did: string): TrustedIssuer | undefined
}

export function trustRegistry(issuers: Iterable<TrustedIssuer>): TrustRegistry {
  const byDid = new Map(Array.from(issuers, (issuer) => [issuer.did, issuer]))
  return { find: (did) => byDid.get(did) }
}

/** An issuer as the operator enters it. */
export interface GivenIssuer {
  readonly did: string
  /** Full type names, or known kinds without `Credential`. Empty allows every type. */
  readonly types: readonly string[]
  /** Only for did:web. `z6Mk…`, or `FRAGMENT=z6Mk…` if it is not called key-1. */
  readonly keys: readonly string[]
  readonly notBefore: string | null
  readonly notAfter: string | null
}

/** Checks an issuer. Returns a text if something is wrong. */
export function checkIssuer(given: GivenIssuer): NewIssuer | string {
  const { did, types } = given
  if (!isIssuerDid(did)) {
    return `${did} is not a did:sol, a did:key with an Ed25519 key, or a did:web, or anyone could sign for it`
  }
  const keys = keysOf(given)
  if (typeof keys === 'string') return keys
  const allowedTypes = types.map((type) => knownKind(type) ?? type)
  const strange = allowedTypes.find((type) => !/^[A-Za-z][A-Za-z0-9]{0,127}$/.test(type))
  if (strange !== undefined) return `${strange} is not a credential type`
  const notBefore = timeOf(given.notBefore)
  const notAfter = timeOf(given.notAfter)
  if (notBefore === undefined || notAfter === undefined) {
    return 'dates need a time and a zone, as in 2026-01-31T00:00:00Z'
  }
  if (notBefore !== null && notAfter !== null && notBefore > notAfter)
    return 'the issuer would be trusted never'
  return {
    did,
    allowedTypes: types.length === 0 ? null : [...new Set(allowedTypes)],
    keys,
    notBefore,
    notAfter,
  }
}

function keysOf({ did, keys }: GivenIssuer): readonly IssuerKey[] | string {
  const derived = derivedKeys(did)
  if (derived !== null)
    return keys.length === 0 ? derived : `the key of ${did} is in the DID itself: leave it out`
  if (keys.length === 0) return `${did} is never fetched: pin its keys with --key`
  const read: IssuerKey[] = []
  for (const each of keys) {
    const [, fragment = 'key-1', multibase = ''] = /^(?:([A-Za-z0-9._~-]{1,128})=)?(\S+)$/.exec(each) ?? []
    const key = keyFromMultibase(multibase)
    if (key === null) return `${each} is not an Ed25519 key in multibase (z6Mk…)`
    if (isSmallOrderKey(key)) return `${each} is a key of small order: anyone can sign by it`
    const verificationMethod = `${did}#${fragment}`
    if (read.some((other) => other.verificationMethod === verificationMethod)) {
      return `two keys are called ${fragment}: name them, as in --key key-2=${multibase}`
    }
    read.push({ verificationMethod, key })
  }
  return read
}

/** ISO 8601 in UTC. Undefined if it is not a date. */
function timeOf(text: string | null): string | null | undefined {
  if (text === null) return null
  const time = parseDateTimeStamp(text)
  return time === null ? undefined : new Date(time).toISOString()
}

export const MAX_DID_LENGTH = 256
const DID_WEB = /^did:web:[A-Za-z0-9.-]+(?:%3A\d{1,5})?(?::[A-Za-z0-9._~%-]+)*$/

/** True for did:sol, did:web, and did:key with an Ed25519 key. */
function isIssuerDid(did: string): boolean {
  if (did.length > MAX_DID_LENGTH) return false
  return derivedKeys(did) !== null || DID_WEB.test(did)
}

/** The keys that a DID contains. Null if it contains none: the operator must enter them. */
function derivedKeys(did: string): IssuerKey[] | null {
  const [, method, name = ''] = /^did:(sol|key):(.*)$/s.exec(did) ?? []
  if (method === undefined) return null
  const key = method === 'key' ? keyFromMultibase(name) : isPubkey(name) ? name : null
  if (key === null || isSmallOrderKey(key)) return null
  return [{ verificationMethod: `${did}#${method === 'key' ? name : 'key-1'}`, key }]
}
