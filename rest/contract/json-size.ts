import type { FastifyInstance, FastifyRequest } from 'fastify'
import { DomainError } from '../../src/domain/errors.ts'
import { quoted } from '../../src/domain/quoted.ts'
import { endOfString, findRepeatedKey } from '../../src/domain/repeated-key.ts'

const [QUOTE, COMMA, LAST_BLANK] = [0x22, 0x2c, 0x20]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

export const tooManyValues = (max: number): string => `The request has more than ${max} values`

/** Refuses JSON bodies with more values in the routes of `app`, before they are parsed. */
export function limitBodyValues(app: FastifyInstance, max: number): void {
  const parseJson = jsonParser(app)
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (hasMoreMembers(body, max)) done(new DomainError('INVALID_REQUEST', { problem: tooManyValues(max) }))
    else parseJson(request, body, done)
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

type Done = (error: Error | null, body?: unknown) => void

/**
 * Parses a JSON body. Fails for invalid JSON, keys such as `__proto__`, and repeated keys, of which
 * the parser would drop one value.
 */
function jsonParser(app: FastifyInstance) {
  const parse = app.getDefaultJsonParser('error', 'error')
  return (request: FastifyRequest, text: string, done: Done): void => {
    void parse(request, text, (error, body) => {
      const repeated = error === null ? findRepeatedKey(text) : null
      if (repeated === null) done(error, body)
      else done(new DomainError('REPEATED_MEMBER', { given: quoted(repeated) }))
    })
  }
}
