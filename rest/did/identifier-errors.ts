import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { type ErrorCode, isDomainError } from '../../src/domain/errors.ts'
import { errorResponse, handleError } from '../contract/errors.ts'
import { DEREFERENCING, RESOLUTION_TYPES } from './schemas.ts'
import { preferredType } from './media-type.ts'

const TYPES: Partial<Record<ErrorCode, string>> = {
  INVALID_DID: 'INVALID_DID',
  DID_NOT_FOUND: 'NOT_FOUND',
  DID_RESOURCE_NOT_FOUND: 'NOT_FOUND',
  DID_METHOD_NOT_SUPPORTED: 'METHOD_NOT_SUPPORTED',
  NOT_ACCEPTABLE: 'REPRESENTATION_NOT_SUPPORTED',
}

/** Sends errors of resolution in the form of DID Resolution to clients that ask for its results. */
export function sendResolutionError(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const name = isDomainError(error) ? TYPES[error.code] : undefined
  const { accept } = request.headers
  const type = accept === undefined ? null : preferredType(accept, ['', ...RESOLUTION_TYPES, DEREFERENCING])
  if (name === undefined || !type || !isDomainError(error)) return handleError(error, request, reply)
  const { status, body } = errorResponse(error)
  const failure = { error: { type: `https://www.w3.org/ns/did#${name}`, title: body.error } }
  const result =
    type === DEREFERENCING
      ? { content: null, contentMetadata: {}, dereferencingMetadata: failure }
      : { didDocument: null, didResolutionMetadata: failure, didDocumentMetadata: {} }
  return reply
    .code(status)
    .type(type)
    .send(Buffer.from(JSON.stringify(result)))
}
