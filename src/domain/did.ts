import { isPubkey, type Pubkey } from '@agent-registry/solana'
import { DomainError } from './errors.ts'
import { quoted } from './quoted.ts'

export const DID_METHOD = 'did:sol'
const PREFIX = `${DID_METHOD}:`

/** The DID of an owner, which is also the DID of each agent of that owner. */
export function ownerDid(owner: string): string {
  return `${PREFIX}${owner}`
}

/** The id of a DID's only verification method, the owner's key. */
export function didKeyId(did: string): string {
  return `${did}#key-1`
}

/**
 * Returns the owner of a DID. Throws INVALID_DID, also for cluster prefixes, paths and fragments.
 */
export function parseDid(did: string): Pubkey {
  const owner = did.startsWith(PREFIX) ? did.slice(PREFIX.length) : ''
  if (isPubkey(owner)) return owner
  throw new DomainError('INVALID_DID', { parameter: 'did', value: quoted(did) })
}
