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

const DID_URL = /^(did:([a-z0-9]+):[\w.:%-]+)(?:\?service=([\w.-]+))?(?:#([\w.-]+))?$/

/**
 * Splits a DID URL such as `<did>#key-1` or `<did>?service=agent-card`. `service` is the same
 * parameter outside the text. `part` is the id of a key or a service, and null for the whole
 * document. Throws INVALID_DID and DID_METHOD_NOT_SUPPORTED.
 */
export function parseDidUrl(url: string, service?: string) {
  const [, did, method, ownService, fragment] = DID_URL.exec(url) ?? []
  if (did === undefined) throw new DomainError('INVALID_DID', { parameter: 'did', value: quoted(url) })
  if (`did:${method}` !== DID_METHOD)
    throw new DomainError('DID_METHOD_NOT_SUPPORTED', { value: quoted(did) })
  parseDid(did)
  const name = ownService ?? service
  const part = name ?? fragment
  return { did, part: part === undefined ? null : `${did}#${part}`, isService: name !== undefined }
}
