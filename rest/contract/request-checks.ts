import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { DomainError } from '../../src/domain/errors.ts'
import { quoted } from '../../src/domain/quoted.ts'

/**
 * Rejects requests that no route can answer, before their body is read: 400 without one Host, 417
 * for an unknown Expect, 404 for an unknown path, 405 for another method. Answers OPTIONS of known
 * paths. Call it before the routes are registered.
 */
export function checkRequests(app: FastifyInstance): void {
  const methods = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }) => {
    const known = methods.get(url) ?? new Set<string>()
    methods.set(url, known)
    for (const each of [method].flat()) known.add(each)
  })
  const allowedMethods = (path: string): string => {
    const matching = [...methods].filter(([pattern]) => matches(pattern, path))
    const allowed = new Set(matching.flatMap(([, each]) => Array.from(each)))
    return allowed.size === 0 ? '' : [...allowed.add('OPTIONS')].sort().join(', ')
  }

  // By default, Node responds to an unknown expectation without a body.
  app.server.on('checkExpectation', (request, response) => app.routing(request, response))
  app.addHook('onRequest', (request, reply, done) => {
    const problem = headerProblem(request)
    // @fastify/cors registers the route `*` for OPTIONS.
    const isUnknown = request.is404 || request.routeOptions.url === '*'
    if (problem !== null) done(problem)
    else if (isUnknown) handleUnknownRoute(request, reply, allowedMethods(pathOf(request)), done)
    else done()
  })
  // Reached only from the files of /docs, whose route accepts every path below its own.
  app.setNotFoundHandler((request) => {
    throw pathNotFound(request)
  })
}

/** RFC 9112, section 3.2, and RFC 9110, section 10.1.1. */
export function headerProblem({ headers: { host, expect }, raw }: FastifyRequest): DomainError | null {
  if (host === undefined && raw.httpVersion === '1.1')
    return new DomainError('INVALID_REQUEST', { problem: 'The Host header is missing' })
  if (hasSecondHost(raw.rawHeaders))
    return new DomainError('INVALID_REQUEST', { problem: 'There must be one Host header' })
  if (expect !== undefined && expect.toLowerCase() !== '100-continue')
    return new DomainError('EXPECTATION_FAILED', { value: quoted(expect) })
  return null
}

/** Node keeps only the first in `headers`. A proxy may have chosen the route by another one. */
function hasSecondHost(rawHeaders: readonly string[]): boolean {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]!.length === 4 && rawHeaders[i]!.toLowerCase() === 'host') hosts += 1
  return hosts > 1
}

function handleUnknownRoute(
  request: FastifyRequest,
  reply: FastifyReply,
  allowed: string,
  fail: (error: DomainError) => void,
): void {
  if (allowed === '') {
    fail(pathNotFound(request))
    return
  }
  reply.header('allow', allowed)
  if (request.method === 'OPTIONS') reply.code(204).send()
  else fail(new DomainError('METHOD_NOT_ALLOWED', { method: request.method, allowed }))
}

export function pathNotFound(request: FastifyRequest): DomainError {
  return new DomainError('PATH_NOT_FOUND', { path: quoted(pathOf(request)).slice(1, -1) })
}

function pathOf(request: FastifyRequest): string {
  return request.url.replace(/[?#].*$/s, '')
}

/** In a pattern, `:name` matches one segment and a final `*` matches the rest. */
function matches(pattern: string, path: string): boolean {
  const expected = pattern.split('/')
  const given = path.split('/')
  if (expected.at(-1) === '*') expected.splice(-1, 1, ...given.slice(expected.length - 1).map(() => ':rest'))
  return (
    expected.length === given.length &&
    expected.every((segment, i) => (segment.startsWith(':') ? given[i] !== '' : segment === given[i]))
  )
}
