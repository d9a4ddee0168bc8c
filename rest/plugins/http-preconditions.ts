import { quoted } from '../../src/domain/quoted.ts'
import { DomainError } from '../../src/domain/errors.ts'
import type { RestApp } from '../rest-app.ts'

/** What Node itself would refuse without a word (RFC 9110, sections 7.2 and 10.1.1) is refused like the rest. */
export function checkPreconditions(app: RestApp): void {
  app.server.on('checkExpectation', (request, response) => app.routing(request, response))
  app.addHook('onRequest', ({ headers, raw }, _, done) => {
    const { host, expect } = headers
    if (host === undefined && raw.httpVersion === '1.1') {
      done(new DomainError('INVALID_REQUEST', { problem: 'The Host header is missing' }))
    } else if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
      done(new DomainError('EXPECTATION_FAILED', { value: quoted(expect) }))
    } else done()
  })
}
