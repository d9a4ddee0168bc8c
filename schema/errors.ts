import { GraphQLError, type GraphQLErrorExtensions } from 'graphql'
import { knownError } from '../src/domain/known-error.ts'

/** Characters. A message that repeats input of the client is cut to this length. */
const MAX_MESSAGE = 500

/**
 * Converts an error for a GraphQL client. Shows errors of the services and GraphQL's own errors of
 * invalid requests. Any other error is hidden and passed to `report`.
 */
export function clientError(error: unknown, report: (hidden: unknown) => void): GraphQLError {
  const given = error instanceof GraphQLError ? error : null
  const cause = given === null ? error : given.originalError
  // `code` is stable, and `status` is that of REST. Yoga uses `http` and removes it.
  const shown = (message: string, code: string, status: number, more: GraphQLErrorExtensions = {}) =>
    new GraphQLError(message, {
      nodes: given?.nodes,
      path: given?.path,
      extensions: { code, status, ...more },
    })
  const http = given?.extensions.http
  const known = knownError(cause)
  if (known !== null) {
    const { message, code, status, addition, retryAfterSeconds } = known
    const headers = { 'retry-after': String(retryAfterSeconds) }
    const more = retryAfterSeconds === null ? { http } : { http: { ...http, headers } }
    return shown(message, code, status, { ...addition, ...more })
  }
  // An error without a path concerns the whole request: syntax, validation or variables.
  if (given !== null && (cause === undefined || cause instanceof GraphQLError) && !given.path) {
    const { message } = given
    const cut = message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message
    return shown(cut, 'INVALID_REQUEST', 400, { http })
  }
  report(cause ?? error)
  return shown('Internal server error', 'INTERNAL_SERVER_ERROR', 500)
}
