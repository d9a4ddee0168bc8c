import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { quoted } from '../../src/domain/quoted.ts'
import { DomainError, type ErrorAddition, isDomainError } from '../../src/domain/errors.ts'
import { knownError } from '../../src/domain/known-error.ts'
import { pathNotFound } from './request-checks.ts'

interface ErrorResponse {
  status: number
  body: ErrorAddition & { error: string; details: { code: string; parameter?: string } }
}

/** Every 401 must have a challenge (RFC 9110, section 15.5.2). */
const CHALLENGE = 'WalletSignature, Bearer'
/** RFC 6750, section 3.1. */
const INVALID_TOKEN_CHALLENGE = `${CHALLENGE} error="invalid_token"`

/** About the time that a restart of the database takes. */
const RETRY_AFTER_SECONDS = 5

/** Converts a parameter name of the services to the name in a route. */
type SpellParameter = (parameter: string) => string

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Names of parameters in error texts of this route. Default: those of the services. */
    spellParameter?: SpellParameter
  }
}

const same: SpellParameter = (parameter) => parameter

/** The status and body for an error that the client may see. */
export function errorResponse(error: DomainError, spell: SpellParameter = same): ErrorResponse {
  const { parameter } = error.context
  const details = {
    code: error.code,
    ...(parameter === undefined ? {} : { parameter: spell(String(parameter)) }),
  }
  return {
    status: error.status,
    body: { error: error.messageNaming(spell), ...error.addition, details },
  }
}

/** Converts every thrown error to a response. Unknown errors become a 500 without details. */
export function handleError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  // Before knownError: a disconnect of the client looks like one of the database, except for its
  // status.
  const expected = isDomainError(error) ? error : (fromFramework(error, request) ?? knownError(error))
  if (expected === null) request.log.error({ err: error }, 'request failed')
  const known = expected ?? new DomainError('INTERNAL_SERVER_ERROR')
  const { status, body } = errorResponse(known, request.routeOptions.config?.spellParameter)
  if (status >= 500 && known.cause !== undefined) request.log.warn({ err: known.cause }, known.message)
  if (status === 401)
    reply.header(
      'www-authenticate',
      isDomainError(known, 'SESSION_INVALID') ? INVALID_TOKEN_CHALLENGE : CHALLENGE,
    )
  const retryAfter = known.retryAfterSeconds ?? (status === 503 ? RETRY_AFTER_SECONDS : null)
  if (retryAfter !== null) reply.header('retry-after', retryAfter)
  return reply.code(status).send(body)
}

/** Converts errors of Fastify. Null for an internal error. */
function fromFramework(error: FastifyError, request: FastifyRequest): DomainError | null {
  switch (error.code) {
    case 'FST_ERR_BAD_URL':
      return new DomainError('INVALID_ENCODING', { given: 'The path', value: quoted(request.raw.url) })
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new DomainError('UNSUPPORTED_MEDIA_TYPE', {
        value: quoted(request.headers['content-type'] ?? 'none'),
      })
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new DomainError('BODY_TOO_LARGE', { max: request.routeOptions.bodyLimit ?? 0 })
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return new DomainError('INVALID_JSON', { problem: 'it is empty' })
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return new DomainError('INVALID_JSON', { problem: 'it cannot be parsed, or has a key like __proto__' })
    default:
      // From the file server of /docs, for a path outside its folder.
      if (error.statusCode === 403) return pathNotFound(request)
      return error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500
        ? new DomainError('INVALID_REQUEST', { problem: error.message })
        : null
  }
}
