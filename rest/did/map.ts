import type { DidDocumentFieldsFragment, ResolveDidQuery } from '../generated/graphql.ts'

export function toDidDocument({ context, ...rest }: DidDocumentFieldsFragment) {
  return { '@context': context, ...rest }
}

export function toResolution({ did: resolution }: ResolveDidQuery) {
  return { ...resolution, didDocument: toDidDocument(resolution.didDocument) }
}
