import { isPubkey } from '@agent-registry/solana'
import { isSmallOrderKey } from '../../../domain/ed25519.ts'
import { keyFromMultibase } from '../multibase.ts'
import type { IssuerKey } from '../../../domain/credential-verdict.ts'

const MAX_DID_LENGTH = 256

export type IssuerMethod = 'sol' | 'key' | 'web'

/**
 * The method of an issuer's DID. Null unless it is did:sol, did:web, or did:key with an Ed25519
 * key.
 */
export function issuerMethod(did: string): IssuerMethod | null {
  if (did.length > MAX_DID_LENGTH) return null
  if (derivedKeys(did) !== null) return did.startsWith('did:sol:') ? 'sol' : 'key'
  return /^did:web:[A-Za-z0-9.-]+(?:%3A\d{1,5})?(?::[A-Za-z0-9._~%-]+)*$/.test(did) ? 'web' : null
}

/** The keys that a DID contains. Null if it contains none: the operator must enter them. */
export function derivedKeys(did: string): IssuerKey[] | null {
  const solKey = did.startsWith('did:sol:') ? did.slice('did:sol:'.length) : null
  if (solKey !== null) {
    return isPubkey(solKey) && !isSmallOrderKey(solKey)
      ? [{ verificationMethod: `${did}#key-1`, key: solKey }]
      : null
  }
  const multibase = did.startsWith('did:key:') ? did.slice('did:key:'.length) : null
  const key = multibase === null ? null : keyFromMultibase(multibase)
  return key === null || isSmallOrderKey(key) ? null : [{ verificationMethod: `${did}#${multibase}`, key }]
}
