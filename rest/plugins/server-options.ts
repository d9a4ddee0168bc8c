import { randomUUID } from 'node:crypto'
import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import {
  type FastifySchemaCompiler,
  type FastifySerializerCompiler,
  type FastifyHttpOptions,
  LogController,
} from 'fastify'
import type { TObject, TSchema } from 'typebox'
import { bodyReader } from '../contract/body.ts'
import type { ConnectionLimits } from './connection-limits.ts'
import { handleError } from '../contract/errors.ts'
import { queryReader } from '../contract/query.ts'

/** Bytes; the largest documented body is a relay request of 16 instructions. */
const BODY_LIMIT = 256 * 1024
const REQUEST_ID = /^[\w.:-]{1,128}$/

/** Settings of Fastify that make it answer in the contract's words, whatever arrives. */
export const serverOptions = (limits: ConnectionLimits) =>
  ({
    ...BEHAVIOUR,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionTimeout: limits.stalledMs,
    http: {
      requireHostHeader: false,
      // Any other wish to upgrade, such as to HTTP/2, is passed over, and the request answered.
      shouldUpgradeCallback: wantsSocket,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: limits.checkMs,
    },
  }) satisfies FastifyHttpOptions<Server>

const BEHAVIOUR = {
  bodyLimit: BODY_LIMIT,
  // A request that comes on a kept connection while the process stops is answered, and its connection closed.
  return503OnClosing: false,
  logController: new LogController({ disableRequestLogging: true }),
  genReqId: (request) => {
    const given = request.headers['x-request-id']
    return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID()
  },
  routerOptions: {
    // A path segment that is no key is refused by the services, by its name, and not as an unknown path.
    maxParamLength: 16_384,
    querystringParser: (text) => ({ text }),
  },
  frameworkErrors: (error, request, reply) => {
    reply.header('x-request-id', request.id)
    handleError(error, request, reply)
  },
  clientErrorHandler: answerUnreadable,
} satisfies FastifyHttpOptions<Server>

/** Query strings and bodies are read by their TypeBox schema into values that have its types; all else is the services'. */
export const compileValidator: FastifySchemaCompiler<TSchema> = (route) => {
  if (route.httpPart === 'querystring')
    return queryReader(route.schema as TObject) as () => { value: unknown }
  if (route.httpPart === 'body') return bodyReader(route.schema as TObject) as () => { value: unknown }
  return (value: unknown) => ({ value })
}

/** Answers hold what their operation selected, so that a schema has nothing to strip; JSON.stringify is the fastest writer. */
export const compileSerializer: FastifySerializerCompiler<TSchema> = () => (answer) => JSON.stringify(answer)

function wantsSocket({ method, url, headers }: IncomingMessage): boolean {
  const path = url?.replace(/\?.*$/s, '')
  return method === 'GET' && path === '/graphql' && headers.upgrade?.toLowerCase() === 'websocket'
}

const UNREADABLE: Record<string, [status: string, error: string]> = {
  HPE_INVALID_URL: ['400 Bad Request', 'The request target must be ASCII; all else in percent-encoding'],
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The request headers are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long to arrive'],
}

/** Ends a request that has not fully arrived, with the same 408 as a timeout. */
export function endWithTimeout(socket: Socket): void {
  answerUnreadable(Object.assign(new Error('too late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket)
  socket.once('finish', () => socket.destroy())
}

/** What is not HTTP never reaches a route; the socket is answered by hand and closed. */
function answerUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, text] = UNREADABLE[error.code ?? ''] ?? ['400 Bad Request', 'The request is not valid HTTP']
  const body = JSON.stringify({ error: text })
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}
