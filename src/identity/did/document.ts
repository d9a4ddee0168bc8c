import { didKeyId, ownerDid } from '../../domain/did.ts'

export interface DidSubject {
  readonly owner: string
  readonly pda: string
  readonly agentCardUrl: string
}

export type DidDocument = ReturnType<typeof didDocument>
export type VerificationMethod = DidDocument['verificationMethod'][number]
export type DidService = DidDocument['service'][number]

const CONTEXT = ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/suites/ed25519-2020/v1']
const URI = /^[a-z][a-z0-9+.-]*:(?:[\w\-.~:/?#[\]@!$&'()*+,;=]|%[0-9a-f]{2})+$/i

/** Builds the DID Document of an owner (W3C DID Core 1.0). `context` becomes `@context` in JSON. */
export function didDocument({ owner, pda, agentCardUrl }: DidSubject, programId: string) {
  const did = ownerDid(owner)
  const key = didKeyId(did)
  const registry = {
    id: `${did}#registry`,
    type: 'ServiceRegistry',
    serviceEndpoint: `solana:${programId}:${pda}`,
  }
  const agentCard = { id: `${did}#agent-card`, type: 'A2AAgentCard', serviceEndpoint: agentCardUrl }
  return {
    context: CONTEXT,
    id: did,
    controller: did,
    verificationMethod: [
      { id: key, type: 'Ed25519VerificationKey2020', controller: did, publicKeyBase58: owner },
    ],
    authentication: [key],
    assertionMethod: [key],
    // A service endpoint must be a URI.
    service: isUri(agentCardUrl) ? [agentCard, registry] : [registry],
  }
}

/** True for a URI of RFC 3986 that URL parsers accept as well. */
function isUri(text: string): boolean {
  return URI.test(text) && URL.canParse(text)
}
