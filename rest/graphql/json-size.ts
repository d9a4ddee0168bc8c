import { LIMITS } from '../../schema/limits.ts'
import { DomainError } from '../../src/domain/errors.ts'
import type { RestApp } from '../rest-app.ts'
import { TOO_MANY_VALUES } from './guards.ts'

const [QUOTE, COMMA, BACKSLASH, LAST_BLANK] = [0x22, 0x2c, 0x5c, 0x20]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/** Refuses JSON bodies with too many values in the routes of `app`, before they are parsed. */
export function limitBodyValues(app: RestApp): void {
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (hasMoreMembers(body, LIMITS.values))
      done(new DomainError('INVALID_REQUEST', { problem: TOO_MANY_VALUES }))
    else void parseJson(request, body, done)
  })
}

/**
 * Whether JSON text has more than `max` members of objects and lists, at all levels. Stops reading
 * there; parsing the text would take ten times as long. The result for invalid JSON has no meaning.
 */
export function hasMoreMembers(json: string, max: number): boolean {
  if (json.length <= max) return false
  let members = 0
  let opened = false
  for (let i = 0; i < json.length; i += 1) {
    const code = json.charCodeAt(i)
    if (code <= LAST_BLANK) continue
    if (code === COMMA || (opened && code !== CLOSE_LIST && code !== CLOSE_OBJECT)) members += 1
    if (members > max) return true
    opened = code === OPEN_LIST || code === OPEN_OBJECT
    if (code === QUOTE) i = endOfString(json, i)
  }
  return false
}

function endOfString(json: string, quote: number): number {
  for (let end = quote + 1; ; end += 1) {
    end = json.indexOf('"', end)
    if (end < 0) return json.length
    let backslashes = 0
    while (json.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1
    if (backslashes % 2 === 0) return end
  }
}
