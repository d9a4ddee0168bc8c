import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { quoted } from '../../src/domain/quoted.ts'
import { DomainError } from '../../src/domain/errors.ts'

/**
 * Keeps pages out that CORS does not ask about, where only those of some origins may call: a page can rebind its own name to the service's address and is
 * then of one origin with it, in its own eyes. It cannot give itself a name of the service, so the name that is called decides.
 */
export interface PageGuard {
  /** For a WebSocket, for which browsers always tell the origin. Throws ORIGIN_NOT_ALLOWED. */
  checkOrigin(request: IncomingMessage): void
  /** For requests that a page sends its own host without an origin. Throws ORIGIN_NOT_ALLOWED and HOST_NOT_ALLOWED. */
  check(request: IncomingMessage): void
}

/**
 * `origins` are those whose pages may call; with `*` there is nothing to keep out. `ownNames` are the names that the service has beside those of loopback and
 * all addresses; null where nobody has told.
 */
export function createPageGuard(origins: readonly string[], ownNames: readonly string[] | null): PageGuard {
  const isOpen = origins.includes('*')
  const isOwn = (host: string): boolean => ownNames === null || isOwnHost(host, ownNames)
  const checkOrigin = ({ headers: { origin, host } }: IncomingMessage): void => {
    if (isOpen || origin === undefined || origins.includes(origin)) return
    const isSameHost = URL.canParse(origin) && new URL(origin).host === host
    if (!isSameHost || !isOwn(host)) throw new DomainError('ORIGIN_NOT_ALLOWED', { value: quoted(origin) })
  }
  return {
    checkOrigin,
    check: (request) => {
      checkOrigin(request)
      const { origin, host } = request.headers
      // A browser always names the host.
      if (isOpen || origin !== undefined || host === undefined || isOwn(host)) return
      throw new DomainError('HOST_NOT_ALLOWED', { value: quoted(host) })
    },
  }
}

/** The port is left out: a container's or a proxy's may be another, and it is no part of what a page rebinds. */
function isOwnHost(host: string, ownNames: readonly string[]): boolean {
  if (!URL.canParse(`http://${host}`)) return false
  const name = new URL(`http://${host}`).hostname.replace(/\.$/, '')
  const isAddress = isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0
  return isAddress || name === 'localhost' || name.endsWith('.localhost') || ownNames.includes(name)
}
