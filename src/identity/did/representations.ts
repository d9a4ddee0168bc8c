import { hash } from 'node:crypto'
import { pubkey } from '@agent-registry/solana'
import { keyToMultibase } from '../credentials/multibase.ts'
import type { DidDocument } from './document.ts'
import type { DidResolution } from './resolve-did.ts'

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
export type ResolvedAgent = Pick<DidResolution['agent'], 'status' | 'createdAt' | 'updatedAt'>

/** An agent that its owner deactivated stays deactivated. */
export function metadataOf(agent: ResolvedAgent, document: MultikeyDocument) {
  return {
    created: agent.createdAt,
    updated: agent.updatedAt,
    versionId: hash('sha256', JSON.stringify(document), 'base64url'),
    ...(agent.status === 'deactivated' ? { deactivated: true } : {}),
  }
}
