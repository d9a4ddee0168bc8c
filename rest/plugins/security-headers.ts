import type { RestApp } from '../rest-app.ts'

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

export function securityHeaders(app: RestApp, { https }: { https: boolean }): void {
  app.addHook('onRequest', (_, reply, done) => {
    reply.headers(https ? HTTPS_HEADERS : HEADERS)
    done()
  })
}
