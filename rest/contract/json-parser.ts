import type { FastifyRequest } from 'fastify'
import { DomainError } from '../../src/domain/errors.ts'
import { quoted } from '../../src/domain/quoted.ts'
import { findRepeatedKey } from '../../src/domain/repeated-key.ts'
import type { RestApp } from '../rest-app.ts'

type Done = (error: Error | null, body?: unknown) => void

/**
 * Parses a JSON body. Fails for invalid JSON, keys such as `__proto__`, and repeated keys, of which
 * the parser would drop one value.
 */
export function jsonParser(app: RestApp) {
  const parse = app.getDefaultJsonParser('error', 'error')
  return (request: FastifyRequest, text: string, done: Done): void => {
    void parse(request, text, (error, body) => {
      const repeated = error === null ? findRepeatedKey(text) : null
      if (repeated === null) done(error, body)
      else done(new DomainError('REPEATED_MEMBER', { given: quoted(repeated) }))
    })
  }
}
