import type { FastifyReply, FastifyRequest } from 'fastify'
import { quoted } from '../../src/domain/quoted.ts'
import { DomainError } from '../../src/domain/errors.ts'
import type { RestApp } from '../rest-app.ts'

/**
 * Answers what no route does: OPTIONS of a known path, 405 with Allow for another method, 404 for an unknown path.
 * Decided before a body is read. Must be registered before the routes that it is to know.
 */
export function answerUnknownPaths(app: RestApp): void {
  const methods = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }) => {
    const known = methods.get(url) ?? new Set<string>()
    methods.set(url, known)
    for (const each of [method].flat()) known.add(each)
  })

  const allowed = (path: string): string[] => {
    const found = [...methods]
      .filter(([pattern]) => matches(pattern, path))
      .flatMap(([, each]) => Array.from(each))
    return found.length === 0 ? [] : [...new Set([...found, 'OPTIONS'])].sort()
  }

  // In a hook, because a handler runs after the body is read.
  // @fastify/cors registers the route `*` for OPTIONS.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404 || request.routeOptions.url === '*')
      refuse(request, reply, allowed(pathOf(request)), done)
    else done()
  })
  // Only a file server gets here, which takes all paths below its own and does not find the file.
  app.setNotFoundHandler((request) => {
    throw pathNotFound(request)
  })
}

function refuse(
  request: FastifyRequest,
  reply: FastifyReply,
  allowed: string[],
  fail: (error: DomainError) => void,
): void {
  if (allowed.length === 0) {
    fail(pathNotFound(request))
    return
  }
  reply.header('allow', allowed.join(', '))
  if (request.method === 'OPTIONS') reply.code(204).send()
  else fail(new DomainError('METHOD_NOT_ALLOWED', { method: request.method, allowed: allowed.join(', ') }))
}

export function pathNotFound(request: FastifyRequest): DomainError {
  return new DomainError('PATH_NOT_FOUND', { path: quoted(pathOf(request)).slice(1, -1) })
}

function pathOf(request: FastifyRequest): string {
  return request.url.replace(/[?#].*$/s, '')
}

/** Patterns are literal segments, `:name` for one segment, and `*` for the rest. */
function matches(pattern: string, path: string): boolean {
  const expected = pattern.split('/')
  const given = path.split('/')
  if (expected.at(-1) === '*') expected.splice(-1, 1, ...given.slice(expected.length - 1).map(() => ':rest'))
  return (
    expected.length === given.length &&
    expected.every((segment, i) => (segment.startsWith(':') ? given[i] !== '' : segment === given[i]))
  )
}
