import { createHash } from 'node:crypto'
import { type Plugin, createLRUCache } from 'graphql-yoga'
import { DomainError } from '../../src/domain/errors.ts'
import { badRequest } from './guards.ts'

interface DocumentParams {
  readonly query?: string
  readonly extensions?: Readonly<Record<string, unknown>> | null
}

/** Documents that are kept, of 20,000 characters at most each; the ones longest unused go first. */
const DOCUMENTS_KEPT = 500
const SHA_256 = /^[0-9a-f]{64}$/

/**
 * Automatic persisted queries, as Apollo's and other clients send them: `extensions.persistedQuery` has `version: 1` and the
 * `sha256Hash` of the document. The hash alone stands for a document that was executed before with its hash; for one that is
 * not known (any more) the answer is PERSISTED_QUERY_NOT_FOUND, and the client sends both. Each process keeps its own.
 */
export interface PersistedDocuments {
  /** The parameters with their document. Throws PERSISTED_QUERY_NOT_FOUND and what a client may be told of a wrong hash. */
  complete<Params extends DocumentParams>(params: Params): Params
  /** Keeps the document of an operation that passed validation. */
  keep(params: DocumentParams): void
}

export function createPersistedDocuments(): PersistedDocuments {
  const documents = createLRUCache<string>({ max: DOCUMENTS_KEPT })
  return {
    complete: (params) => {
      const hash = hashOf(params)
      if (hash === null) return params
      if (params.query) {
        if (sha256(params.query) !== hash)
          throw badRequest('extensions.persistedQuery.sha256Hash is not the SHA-256 of the query')
        return params
      }
      const query = documents.get(hash)
      if (query === undefined) throw new DomainError('PERSISTED_QUERY_NOT_FOUND')
      return { ...params, query }
    },
    keep: (params) => {
      const hash = hashOf(params)
      if (hash !== null && params.query) documents.set(hash, params.query)
    },
  }
}

export function persistedDocumentsPlugin(documents: PersistedDocuments): Plugin<{ params: DocumentParams }> {
  return {
    onParams: ({ params, setParams }) => setParams(documents.complete(params)),
    onExecute: ({ args }) => documents.keep(args.contextValue.params),
    onSubscribe: ({ args }) => documents.keep(args.contextValue.params),
  }
}

function hashOf({ extensions }: DocumentParams): string | null {
  const persisted: unknown = extensions?.['persistedQuery']
  if (persisted === undefined || persisted === null) return null
  const { version, sha256Hash } = persisted as { version?: unknown; sha256Hash?: unknown }
  if (version !== 1 || typeof sha256Hash !== 'string' || !SHA_256.test(sha256Hash))
    throw badRequest('extensions.persistedQuery must have version 1 and a sha256Hash of 64 hex digits')
  return sha256Hash
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
