import type { FastifyInstance } from 'fastify'
import cors, { type FastifyCorsOptions } from '@fastify/cors'
import { headerProblem } from '../contract/request-checks.ts'

/** Names of headers, separated by commas. The longest real list is far shorter. */
const HEADER_NAMES = /^[\w!#$%&'*+.^`|~-]+(?:[ \t]*,[ \t]*[\w!#$%&'*+.^`|~-]+)*$/
const MAX_HEADER_NAMES = 1024

/**
 * Lets pages of these origins call the service with any headers; `*` allows every origin.
 * No cookies are used, so credentials are not allowed.
 */
export async function allowOrigins(app: FastifyInstance, origins: readonly string[]): Promise<void> {
  if (origins.length === 0) return
  const options: FastifyCorsOptions = {
    origin: origins.includes('*') ? '*' : (origin, done) => done(null, origins.includes(origin ?? '')),
    methods: 'GET, HEAD, POST, PATCH, DELETE',
    exposedHeaders: '*',
    maxAge: 600,
    strictPreflight: false,
  }
  // Every other OPTIONS request is answered or refused by request-checks.ts.
  const other = { ...options, preflight: false }
  const refusing = { ...options, allowedHeaders: [] }
  await app.register(cors, {
    delegator: (request, done) => {
      const { headers } = request
      const isPreflight = headers['access-control-request-method'] !== undefined
      if (!isPreflight || headerProblem(request) !== null) done(null, other)
      // By default, the package allows the requested headers. A `*` would exclude Authorization.
      else done(null, areHeaderNames(headers['access-control-request-headers']) ? options : refusing)
    },
  })
}

function areHeaderNames(requested: string | undefined): boolean {
  return requested === undefined || (requested.length <= MAX_HEADER_NAMES && HEADER_NAMES.test(requested))
}

/**
 * Headers of the OWASP REST security cheat sheet. Only /console, /docs and /graphql are pages, and
 * they set a policy of their own. CORS decides which origins may read responses, so the resource
 * policy allows all.
 */
const HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'cross-origin',
}
const HTTPS_HEADERS = { ...HEADERS, 'strict-transport-security': 'max-age=31536000; includeSubDomains' }

export function securityHeaders(app: FastifyInstance, { https }: { https: boolean }): void {
  app.addHook('onRequest', (_, reply, done) => {
    reply.headers(https ? HTTPS_HEADERS : HEADERS)
    done()
  })
}
