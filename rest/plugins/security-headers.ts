import type { RestApp } from '../rest-app.ts'

const YEAR_SECONDS = 31_536_000

/** No answer but the two pages is to be shown as one, so nothing may be loaded, framed or guessed. The pages set a policy of their own. */
const HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  // The API is for pages of any origin; who may read answers is decided by CORS.
  'cross-origin-resource-policy': 'cross-origin',
}

/** Headers of the OWASP REST security cheat sheet, on every answer. `https` adds Strict-Transport-Security. */
export function securityHeaders(app: RestApp, { https }: { https: boolean }): void {
  const headers = https
    ? { ...HEADERS, 'strict-transport-security': `max-age=${YEAR_SECONDS}; includeSubDomains` }
    : HEADERS
  app.addHook('onRequest', (_, reply, done) => {
    reply.headers(headers)
    done()
  })
}
