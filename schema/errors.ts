import { GraphQLError, type GraphQLErrorExtensions } from 'graphql'
import { knownError } from '../src/domain/known-error.ts'

/** Characters. A message that repeats input of the client is cut to this length. */
const MAX_MESSAGE = 500

/** Members of `extensions` in every error: a stable code, and the status that REST uses for it. */
function extensions(code: string, status: number): { code: string; status: number } {
  return { code, status }
}

/** The HTTP status and headers that the error sets. Yoga removes them from the response. */
function http(error: unknown, retryAfterSeconds: number | null = null): GraphQLErrorExtensions {
  const given = error instanceof GraphQLError ? error.extensions.http : undefined
  if (retryAfterSeconds === null) return given === undefined ? {} : { http: given }
  return { http: { ...given, headers: { 'retry-after': String(retryAfterSeconds) } } }
}

/**
 * Converts an error for a GraphQL client. Shows errors of the services and GraphQL's own errors of
 * invalid requests. Any other error is hidden and passed to `report`.
 */
export function clientError(error: unknown, report: (hidden: unknown) => void): GraphQLError {
  const cause = error instanceof GraphQLError ? error.originalError : error
  const { nodes, path, message } = error instanceof GraphQLError ? error : new GraphQLError('')
  const known = knownError(cause)
  if (known !== null) {
    return new GraphQLError(known.message, {
      nodes,
      path,
      extensions: {
        ...http(error, known.retryAfterSeconds),
        ...extensions(known.code, known.status),
        ...known.addition,
      },
    })
  }
  // An error without a path concerns the whole request: syntax, validation or variables.
  if (error instanceof GraphQLError && (cause === undefined || cause instanceof GraphQLError) && !path) {
    return new GraphQLError(message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message, {
      nodes,
      extensions: { ...http(error), ...extensions('INVALID_REQUEST', 400) },
    })
  }
  report(cause ?? error)
  return new GraphQLError('Internal server error', {
    nodes,
    path,
    extensions: extensions('INTERNAL_SERVER_ERROR', 500),
  })
}
