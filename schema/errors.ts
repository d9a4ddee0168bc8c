import { GraphQLError } from 'graphql'
import { knownError } from '../src/domain/known-error.ts'

/** A message that repeats what the client sent is cut here, in characters. */
const MAX_MESSAGE = 500

/** `extensions` of every error: a stable code and the status that REST would answer, and what else REST would tell. */
function extensions(code: string, status: number): { code: string; status: number } {
  return { code, status }
}

/**
 * An error as a GraphQL client sees it: what the services tell, what GraphQL itself says of a broken request, and of anything
 * else nothing. `report` is given what was hidden.
 */
export function clientError(error: unknown, report: (hidden: unknown) => void): GraphQLError {
  const cause = error instanceof GraphQLError ? error.originalError : error
  const { nodes, path, message } = error instanceof GraphQLError ? error : new GraphQLError('')
  const known = knownError(cause)
  if (known !== null) {
    return new GraphQLError(known.message, {
      nodes,
      path,
      extensions: { ...extensions(known.code, known.status), ...known.addition },
    })
  }
  // An error without path is about the request as a whole: syntax, validation, variables.
  if (error instanceof GraphQLError && (cause === undefined || cause instanceof GraphQLError) && !path) {
    const { http } = error.extensions
    return new GraphQLError(message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message, {
      nodes,
      // Read by Yoga and left out of the answer.
      extensions: { ...(http === undefined ? {} : { http }), ...extensions('INVALID_REQUEST', 400) },
    })
  }
  report(cause ?? error)
  return new GraphQLError('Internal server error', {
    nodes,
    path,
    extensions: extensions('INTERNAL_SERVER_ERROR', 500),
  })
}
