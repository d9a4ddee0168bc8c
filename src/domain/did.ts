import { isPubkey, type Pubkey } from '@agent-registry/solana'
import { quoted } from './quoted.ts'
import { DomainError } from './errors.ts'

export const DID_METHOD = 'did:sol'
const PREFIX = `${DID_METHOD}:`

/** The DID of an owner: deterministic, and the same for every agent that the owner ever registers. */
export function ownerDid(owner: string): string {
  return `${PREFIX}${owner}`
}

/** The verification method of a DID: the owner's key itself, the only one there is. */
export function didKeyId(did: string): string {
  return `${did}#key-1`
}

/**
 * The owner's key of a DID. Throws INVALID_DID for anything but `did:sol:` and base-58 of 32 bytes: another method, a cluster
 * prefix, a path, query or fragment.
 */
export function parseDid(did: string): Pubkey {
  const owner = did.startsWith(PREFIX) ? did.slice(PREFIX.length) : ''
  if (isPubkey(owner)) return owner
  throw new DomainError('INVALID_DID', { parameter: 'did', value: quoted(did) })
}
