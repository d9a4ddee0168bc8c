import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { DomainError } from '../../src/domain/errors.ts'
import { quoted } from '../../src/domain/quoted.ts'
import { isLoopbackHost } from '../../src/platform/net/address-guard.ts'

export type OriginGuard = ReturnType<typeof createOriginGuard>

/**
 * Refuses web pages of other origins where CORS does not: for WebSockets and MCP. A page can rebind
 * its own host name to the address of the service (DNS rebinding), so that its requests are
 * same-origin to the browser. They still carry that name in the Host header, so the guard checks
 * the name too.
 *
 * `origins` may call the service; `*` allows every origin. `ownNames` are the host names of the
 * service. Loopback names and IP addresses always count as its own. Null allows every host name.
 */
export function createOriginGuard(origins: readonly string[], ownNames: readonly string[] | null) {
  const allowsAll = origins.includes('*')
  const isOwn = (host: string): boolean => ownNames === null || isOwnHost(host, ownNames)
  const checkOrigin = ({ headers: { origin, host } }: IncomingMessage): void => {
    if (allowsAll || origin === undefined || origins.includes(origin)) return
    const isSameHost = URL.canParse(origin) && new URL(origin).host === host
    if (!isSameHost || !isOwn(host)) throw new DomainError('ORIGIN_NOT_ALLOWED', { value: quoted(origin) })
  }
  return {
    /** For WebSockets, to which browsers always send an Origin. Throws ORIGIN_NOT_ALLOWED. */
    checkOrigin,
    /** For requests without an Origin too. Throws ORIGIN_NOT_ALLOWED and HOST_NOT_ALLOWED. */
    check: (request: IncomingMessage): void => {
      checkOrigin(request)
      const { origin, host } = request.headers
      // Browsers always send the Host header.
      if (allowsAll || origin !== undefined || host === undefined || isOwn(host)) return
      throw new DomainError('HOST_NOT_ALLOWED', { value: quoted(host) })
    },
  }
}

/** Whether only programs of this machine can reach the service under these names. */
export function isLocal(ownNames: readonly string[] | null): boolean {
  return (
    ownNames !== null &&
    ownNames.length > 0 &&
    ownNames.every((name) => isLoopbackHost(name.replace(/^\[(.*)\]$/, '$1')))
  )
}

/** Ignores the port, which differs behind a container or a proxy and plays no part in rebinding. */
function isOwnHost(host: string, ownNames: readonly string[]): boolean {
  if (!URL.canParse(`http://${host}`)) return false
  const name = new URL(`http://${host}`).hostname.replace(/\.$/, '')
  const isAddress = isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0
  return isAddress || name === 'localhost' || name.endsWith('.localhost') || ownNames.includes(name)
}
