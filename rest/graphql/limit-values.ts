import { LIMITS } from '../../schema/limits.ts'
import { DomainError } from '../../src/domain/errors.ts'
import { TOO_MANY_VALUES } from './guards.ts'
import { hasMoreMembers } from './json-size.ts'
import type { RestApp } from '../rest-app.ts'

/** Refuses JSON bodies of too many values before they are parsed, in the routes of `app`. */
export function limitValues(app: RestApp): void {
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (hasMoreMembers(body, LIMITS.values))
      done(new DomainError('INVALID_REQUEST', { problem: TOO_MANY_VALUES }))
    else void parseJson(request, body, done)
  })
}
