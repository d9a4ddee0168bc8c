import { createServer, isIP } from 'node:net'
import { once } from 'node:events'
import { type AddressGuard, isLoopbackHost } from './address-guard.ts'

/** Characters. */
export const MAX_URL_LENGTH = 2_048

/** Domains that are never public: RFC 6761, 6762, 8375, 7686, and names that ICANN reserves. */
const PRIVATE_DOMAINS = new Set([
  'localhost',
  'local',
  'localdomain',
  'internal',
  'intranet',
  'private',
  'corp',
  'home',
  'lan',
  'home.arpa',
  'in-addr.arpa',
  'ip6.arpa',
  'onion',
])

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' }

/** A URL that the service refuses to call. `reason` completes "The URL …". */
export class UrlRefused extends Error {
  override readonly name = 'UrlRefused'
  readonly reason: string

  constructor(reason: string) {
    super(`the URL ${reason}`)
    this.reason = reason
  }
}

export interface UrlRules {
  /** Also allows http, and loopback hosts on any port. */
  readonly devMode: boolean
  readonly allowedPorts: readonly number[]
}

/** Checks the text of a URL. Addresses are checked at each connect. Throws UrlRefused. */
export function checkUrl(text: string, rules: UrlRules, guard: AddressGuard): URL {
  const { devMode, allowedPorts } = rules
  refuseIf(text.length > MAX_URL_LENGTH, `must have at most ${MAX_URL_LENGTH} characters`)
  // The WHATWG parser drops or rewrites these, so the stored URL would differ from the called one.
  refuseIf(/[\s\p{C}\\]/u.test(text), 'must not contain spaces, control characters or backslashes')
  const url = /^https?:\/\/[^/]/i.test(text) ? URL.parse(text) : null
  if (url === null) throw new UrlRefused('must be a URL with a host, such as https://example.com/path')
  refuseIf(url.href.length > MAX_URL_LENGTH, `must have at most ${MAX_URL_LENGTH} characters when encoded`)
  refuseIf(url.protocol !== 'https:' && !devMode, 'must use https')
  refuseIf(/^[^/]*\/\/[^/?#]*@/.test(text), 'must not contain a user name or password')
  refuseIf(text.includes('#'), 'must not contain a fragment (#)')
  checkHost(hostOf(url), devMode, guard)
  const port = Number(url.port || DEFAULT_PORTS[url.protocol])
  const isDevPort = devMode && (port === 80 || isLoopbackHost(hostOf(url)))
  refuseIf(!allowedPorts.includes(port) && !isDevPort, `must use port ${allowedPorts.join(' or ')}`)
  return url
}

function checkHost(host: string, devMode: boolean, guard: AddressGuard): void {
  if (isIP(host) !== 0) {
    refuseIf(!guard.allows(host), 'must point to a public address')
    return
  }
  if (devMode && isLoopbackHost(host)) return
  refuseIf(host.endsWith('.'), 'must name its host without a dot at the end')
  const labels = host.split('.')
  const isPrivate =
    PRIVATE_DOMAINS.has(labels.slice(-1).join()) || PRIVATE_DOMAINS.has(labels.slice(-2).join('.'))
  refuseIf(isPrivate, 'must name a public host')
  refuseIf(labels.length < 2, 'must name its host in full, with a dot')
}

/** The host in lower case and ASCII. IPv6 addresses have no brackets. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1')
}

function refuseIf(condition: boolean, reason: string): void {
  if (condition) throw new UrlRefused(reason)
}

/** Why `checkUrl` refuses a URL, for instance `must use https`. Null if it accepts the URL. */
export function urlProblem(http: { checkUrl(url: string): URL }, url: string): string | null {
  try {
    http.checkUrl(url)
    return null
  } catch (error) {
    if (error instanceof UrlRefused) return error.reason
    throw error
  }
}

/** Whether a process listens on the port. Throws if it cannot be used for another reason. */
export async function isPortInUse(host: string, port: number): Promise<boolean> {
  const server = createServer().listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return true
    throw error
  }
  server.close()
  await once(server, 'close')
  return false
}
