import { DomainError } from '../../domain/errors.ts'
import { quoted } from '../../domain/quoted.ts'
import { isLoopbackHost } from '../../platform/net/check-url.ts'

/**
 * The pages on which users may sign in. A wallet shows its user the domain of the page, so a
 * message for another page must not open a session here.
 */
export interface SignInOrigins {
  /** As browsers send them. The first is the service's own. */
  readonly origins: readonly string[]
  /** Also allows pages of the same machine, on every port. For development. */
  readonly anyLoopback: boolean
}

/** The URL of an allowed origin, by default the service's own. Throws SIGN_IN_ORIGIN. */
export function originParameter(given: string | null | undefined, allowed: SignInOrigins): URL {
  const origin = given ?? allowed.origins[0] ?? ''
  const url = URL.parse(origin)
  if (url !== null && url.origin === origin && isAllowedOrigin(url, allowed)) return url
  throw new DomainError('SIGN_IN_ORIGIN', {
    parameter: 'origin',
    allowed: formatOrigins(allowed),
    value: quoted(origin),
  })
}

export function isAllowedOrigin({ origin, protocol, hostname }: URL, allowed: SignInOrigins): boolean {
  // The URL `blob:https://a.example/x` has the origin of its page, but no host.
  if (protocol !== 'http:' && protocol !== 'https:') return false
  if (allowed.origins.includes(origin)) return true
  return allowed.anyLoopback && isLoopbackHost(hostname.replace(/^\[(.*)\]$/, '$1'))
}

/** The allowed origins, for error texts. */
export function formatOrigins({ origins, anyLoopback }: SignInOrigins): string {
  return [...origins, ...(anyLoopback ? ['http://localhost:<port>'] : [])].join(', ')
}
