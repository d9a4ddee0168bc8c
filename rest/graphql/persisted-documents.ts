import { hash } from 'node:crypto'
import { GraphQLError } from 'graphql'
import { LRUCache } from 'lru-cache'
import { DomainError } from '../../src/domain/errors.ts'

/** Members of a request to /graphql, before they are checked. */
export interface OperationParams {
  readonly query?: string
  readonly operationName?: string | null
  readonly extensions?: Readonly<Record<string, unknown>> | null
}

/** Each document has at most 20,000 characters. */
export const MAX_DOCUMENTS = 500
const SHA_256 = /^[0-9a-f]{64}$/

export type PersistedDocuments = ReturnType<typeof createPersistedDocuments>

/**
 * Automatic persisted queries as Apollo defines them: `extensions.persistedQuery` has `version: 1`
 * and the `sha256Hash` of the document. A client sends only the hash; after
 * PERSISTED_QUERY_NOT_FOUND it sends both. Each process stores the last used documents.
 */
export function createPersistedDocuments() {
  const documents = new LRUCache<string, string>({ max: MAX_DOCUMENTS })
  return {
    /** Adds the document for a hash. Throws PERSISTED_QUERY_NOT_FOUND, or 400 for a wrong hash. */
    complete: <Params extends OperationParams>(params: Params): Params => {
      const query: unknown = params.query
      if (typeof query !== 'string' && query !== undefined && query !== null)
        throw badRequest('query must be a string')
      const sha256Hash = readHash(params)
      if (sha256Hash === null) return params
      if (params.query) {
        if (hash('sha256', params.query) !== sha256Hash)
          throw badRequest('extensions.persistedQuery.sha256Hash is not the SHA-256 of the query')
        return params
      }
      const stored = documents.get(sha256Hash)
      if (stored === undefined) throw new DomainError('PERSISTED_QUERY_NOT_FOUND')
      return { ...params, query: stored }
    },
    /** Stores the document of an operation. Call it only after validation. */
    store: (params: OperationParams): void => {
      const sha256Hash = readHash(params)
      if (sha256Hash !== null && params.query) documents.set(sha256Hash, params.query)
    },
  }
}

function readHash({ extensions }: OperationParams): string | null {
  const persisted: unknown = extensions?.['persistedQuery']
  if (persisted === undefined || persisted === null) return null
  const { version, sha256Hash } = persisted as { version?: unknown; sha256Hash?: unknown }
  if (version !== 1 || typeof sha256Hash !== 'string' || !SHA_256.test(sha256Hash))
    throw badRequest('extensions.persistedQuery must have version 1 and a sha256Hash of 64 hex digits')
  return sha256Hash
}

/** An error of the request as a whole, with status 400. */
export function badRequest(problem: string): GraphQLError {
  return new GraphQLError(problem, { extensions: { http: { status: 400 } } })
}
