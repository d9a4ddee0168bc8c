import { randomUUID } from 'node:crypto'
import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import {
  type FastifySchemaCompiler,
  type FastifySerializerCompiler,
  type FastifyHttpOptions,
  LogController,
} from 'fastify'
import { bodyReader, queryReader } from '../contract/readers.ts'
import { type ConnectionLimits, LimitedRequest } from './connections.ts'
import { errorResponse, handleError } from '../contract/errors.ts'
import type { Json } from '../contract/shapes.ts'
import { DomainError } from '../../src/domain/errors.ts'

/** Bytes. The largest documented body is a relay request with 16 instructions. */
export const BODY_LIMIT = 256 * 1024
/** From the response to a request that is not valid HTTP to the end of its connection. */
const LINGER_MS = 1_000
const REQUEST_ID = /^[\w.:-]{1,128}$/

/** Fastify's options. With them, every response has the form of the contract. */
export const serverOptions = (limits: ConnectionLimits) =>
  ({
    bodyLimit: BODY_LIMIT,
    // While the process stops, a request on an open connection is still answered
    // (open-connections.ts).
    return503OnClosing: false,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: (request) => {
      const given = request.headers['x-request-id']
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID()
    },
    routerOptions: {
      // Long enough that services refuse an invalid key by its name, and not as an unknown path.
      maxParamLength: 16_384,
      querystringParser: (text) => ({ text }),
    },
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id)
      handleError(error, request, reply)
    },
    clientErrorHandler: sendParserError,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    http: {
      IncomingMessage: LimitedRequest,
      requireHostHeader: false,
      // Other upgrades, such as to HTTP/2, are ignored, and the request is answered.
      shouldUpgradeCallback: wantsWebSocket,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: limits.checkMs,
      keepAlive: true,
      keepAliveInitialDelay: limits.probeMs,
    },
  }) satisfies FastifyHttpOptions<Server>

/** Converts query strings and bodies to the types of their schema. Services validate the values. */
export const compileValidator: FastifySchemaCompiler<Json> = (route) => {
  if (route.httpPart === 'querystring') return queryReader(route.schema) as () => { value: unknown }
  if (route.httpPart === 'body') return bodyReader(route.schema) as () => { value: unknown }
  return (value: unknown) => ({ value })
}

/** Operations select the members of a response, so a schema has nothing to strip. */
export const compileSerializer: FastifySerializerCompiler<Json> = () => (body) => JSON.stringify(body)

function wantsWebSocket({ method, url, headers, socket }: IncomingMessage): boolean {
  const path = url?.replace(/\?.*$/s, '')
  const isUpgrade = method === 'GET' && path === '/graphql' && headers.upgrade?.toLowerCase() === 'websocket'
  // Node cannot upgrade a connection on which it still sends the response to an earlier request.
  return isUpgrade && (socket as { _httpMessage?: unknown })._httpMessage == null
}

const PARSER_ERRORS: Record<string, DomainError> = {
  HPE_INVALID_URL: new DomainError('INVALID_REQUEST', {
    problem: 'The request target must be ASCII. Percent-encode other characters',
  }),
  HPE_HEADER_OVERFLOW: new DomainError('HEADERS_TOO_LARGE'),
  ERR_HTTP_REQUEST_TIMEOUT: new DomainError('REQUEST_TIMEOUT'),
}
const NOT_HTTP = new DomainError('INVALID_REQUEST', { problem: 'The request is not valid HTTP' })

export function hasBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}

/** Ends a request that has not fully arrived, with the same 408 as a timeout. */
export function endWithTimeout(socket: Socket): void {
  sendParserError(Object.assign(new Error('request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket)
  socket.once('finish', () => socket.destroy())
}

/**
 * Input that is not valid HTTP never reaches a route, so this writes to the socket and closes it.
 */
function sendParserError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const { status, body: content } = errorResponse(PARSER_ERRORS[error.code ?? ''] ?? NOT_HTTP)
  const body = JSON.stringify(content)
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
  // For clients that neither send nor close any more.
  socket.setTimeout(LINGER_MS)
}
