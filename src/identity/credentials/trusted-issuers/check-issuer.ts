import { isSmallOrderKey } from '../../../domain/ed25519.ts'
import { knownKind } from '../kinds.ts'
import { keyFromMultibase } from '../multibase.ts'
import { parseDateTimeStamp } from '../dates.ts'
import { derivedKeys, issuerMethod } from './derived-keys.ts'
import type { NewIssuer } from './service.ts'
import type { IssuerKey } from '../../../domain/credential-verdict.ts'

/** An issuer as the operator enters it. */
export interface GivenIssuer {
  readonly did: string
  /** Full type names, or known kinds without `Credential`. Empty allows every type. */
  readonly types: readonly string[]
  /**
   * `z6Mk…`, or `FRAGMENT=z6Mk…` if the verification method is not named key-1. Only for
   * did:web.
   */
  readonly keys: readonly string[]
  readonly notBefore: string | null
  readonly notAfter: string | null
}

/** Checks an issuer. Returns a text if something is wrong. */
export function checkIssuer(given: GivenIssuer): NewIssuer | string {
  const { did, types } = given
  if (issuerMethod(did) === null) {
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
