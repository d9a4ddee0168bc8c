import { hash } from 'node:crypto'
import { pubkey } from '@agent-registry/solana'
import type { AgentRow } from '../registry/rows.ts'
import type { AgentReads } from '../registry/agents/agent-reads.ts'
import { didKeyId, ownerDid, parseDid } from '../domain/did.ts'
import { DomainError } from '../domain/errors.ts'
import { keyToMultibase } from './credentials/formats.ts'

export type DidResolution = Awaited<ReturnType<DidResolver['resolve']>>

type DidResolver = ReturnType<typeof createDidResolver>

export function createDidResolver(agents: Pick<AgentReads, 'findByOwner'>, programId: string) {
  return {
    /** Throws INVALID_DID. Throws DID_NOT_FOUND if the owner has no agent or closed it. */
    resolve: async (did: string) => {
      const owner = parseDid(did)
      const agent = await agents.findByOwner(owner)
      if (agent === null) throw new DomainError('DID_NOT_FOUND')
      return { did, agent, didDocument: didDocument(agent, programId) }
    },
  }
}

type DidSubject = Readonly<Record<'owner' | 'pda' | 'agentCardUrl', string>>

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
    // A service endpoint must be a URI (RFC 3986), and one that URL parsers accept as well.
    service: URI.test(agentCardUrl) && URL.canParse(agentCardUrl) ? [agentCard, registry] : [registry],
  }
}

const MULTIKEY = 'https://w3id.org/security/multikey/v1'

/** The DID Document of the contract. GraphQL names cannot contain `@`. */
export function toDidDocument({ context, ...rest }: DidDocument) {
  return { '@context': context, ...rest }
}

export type MultikeyDocument = ReturnType<typeof toMultikeyDocument>

/** The same document with the form of the key that stock verifiers read. */
export function toMultikeyDocument(document: DidDocument) {
  const verificationMethod = document.verificationMethod.map(({ id, controller, publicKeyBase58 }) => ({
    id,
    type: 'Multikey',
    controller,
    publicKeyMultibase: keyToMultibase(pubkey(publicKeyBase58)),
  }))
  return {
    ...toDidDocument(document),
    '@context': ['https://www.w3.org/ns/did/v1', MULTIKEY],
    verificationMethod,
  }
}

/** The key or the service with this id. Null if there is none. */
export function partOf(document: MultikeyDocument, id: string): object | null {
  const key = document.verificationMethod.find((each) => each.id === id)
  // Verifiers that fetch the key alone need its context.
  if (key !== undefined) return { '@context': MULTIKEY, ...key }
  return document.service.find((each) => each.id === id) ?? null
}

/** What the metadata of a document says of its agent. */
export type ResolvedAgent = Pick<AgentRow, 'status' | 'createdAt' | 'updatedAt'>

/** An agent that its owner deactivated stays deactivated. */
export function metadataOf(agent: ResolvedAgent, document: MultikeyDocument) {
  return {
    created: agent.createdAt,
    updated: agent.updatedAt,
    versionId: hash('sha256', JSON.stringify(document), 'base64url'),
    ...(agent.status === 'deactivated' ? { deactivated: true } : {}),
  }
}
