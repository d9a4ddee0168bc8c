import { ownerDid, didKeyId } from '../../domain/did.ts'

export interface VerificationMethod {
  readonly id: string
  readonly type: 'Ed25519VerificationKey2020'
  readonly controller: string
  /** The owner's key. */
  readonly publicKeyBase58: string
}

export interface DidService {
  readonly id: string
  readonly type: 'A2AAgentCard' | 'ServiceRegistry'
  readonly serviceEndpoint: string
}

/** W3C DID Core 1.0, with the fields of the contract. `context` is `@context` in JSON. */
export interface DidDocument {
  readonly context: readonly string[]
  readonly id: string
  readonly controller: string
  readonly verificationMethod: readonly VerificationMethod[]
  readonly authentication: readonly string[]
  readonly assertionMethod: readonly string[]
  readonly service: readonly DidService[]
}

export interface DidSubject {
  readonly owner: string
  readonly pda: string
  readonly agentCardUrl: string
}

const CONTEXT = ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/suites/ed25519-2020/v1']
const URI = /^[a-z][a-z0-9+.-]*:(?:[\w\-.~:/?#[\]@!$&'()*+,;=]|%[0-9a-f]{2})+$/i

/** The document of an agent's owner. An agent card URL that is no URI is left out, since a service endpoint must be one. */
export function didDocument({ owner, pda, agentCardUrl }: DidSubject, programId: string): DidDocument {
  const did = ownerDid(owner)
  const key = didKeyId(did)
  const registry = `solana:${programId}:${pda}`
  return {
    context: CONTEXT,
    id: did,
    controller: did,
    verificationMethod: [
      { id: key, type: 'Ed25519VerificationKey2020', controller: did, publicKeyBase58: owner },
    ],
    authentication: [key],
    assertionMethod: [key],
    service: [
      ...(isUri(agentCardUrl)
        ? [{ id: `${did}#agent-card`, type: 'A2AAgentCard' as const, serviceEndpoint: agentCardUrl }]
        : []),
      { id: `${did}#registry`, type: 'ServiceRegistry', serviceEndpoint: registry },
    ],
  }
}

/** RFC 3986, and readable by URL parsers as well. */
function isUri(text: string): boolean {
  return URI.test(text) && URL.canParse(text)
}
