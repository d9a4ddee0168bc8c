import { isIP } from 'node:net'
import { type AddressGuard, isLoopback } from './address-guard.ts'

export const MAX_URL_LENGTH = 2048

/** Names that are never public, with all below them: RFC 6761, 6762, 8375, 7686 and what ICANN keeps for private use. */
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

/** A URL that the service will not call. `reason` is for the client and goes on from the name of what it gave: `must use https`. */
export class UrlRefused extends Error {
  override readonly name = 'UrlRefused'
  readonly reason: string

  constructor(reason: string) {
    super(`the URL ${reason}`)
    this.reason = reason
  }
}

export interface UrlRules {
  /** Also http, and loopback at any port. */
  readonly devMode: boolean
  readonly allowedPorts: readonly number[]
}

/** What a URL says by itself; where its name leads is seen at each connect. Throws UrlRefused. */
export function checkUrl(text: string, rules: UrlRules, guard: AddressGuard): URL {
  refuseIf(text.length > MAX_URL_LENGTH, `must have at most ${MAX_URL_LENGTH} characters`)
  // The WHATWG parser drops or rewrites these; what is stored and shown would not be what is called.
  refuseIf(/[\s\p{C}\\]/u.test(text), 'must not contain spaces, control characters or backslashes')
  refuseIf(
    !/^https?:\/\/[^/]/i.test(text) || !URL.canParse(text),
    `must be a URL with a host, such as ${EXAMPLE}`,
  )
  const url = new URL(text)
  refuseIf(url.href.length > MAX_URL_LENGTH, `must have at most ${MAX_URL_LENGTH} characters when encoded`)
  refuseIf(
    url.protocol !== 'https:' && !rules.devMode,
    rules.devMode ? 'must use https or http' : 'must use https',
  )
  refuseIf(/^[^/]*\/\/[^/?#]*@/.test(text), 'must not contain a user name or password')
  refuseIf(text.includes('#'), 'must not contain a fragment (#)')
  checkHost(hostOf(url), rules, guard)
  const port = Number(url.port === '' ? DEFAULT_PORTS[url.protocol] : url.port)
  refuseIf(
    !rules.allowedPorts.includes(port) && !(rules.devMode && (port === 80 || isLoopbackHost(hostOf(url)))),
    `must use port ${rules.allowedPorts.join(' or ')}`,
  )
  return url
}

const EXAMPLE = 'https://example.com/path'
const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' }

function checkHost(host: string, { devMode }: UrlRules, guard: AddressGuard): void {
  if (isIP(host) !== 0) {
    refuseIf(!guard.allows(host), 'must point to a public address')
    return
  }
  if (devMode && isLoopbackHost(host)) return
  refuseIf(host.endsWith('.'), 'must name its host without a dot at the end')
  const labels = host.split('.')
  refuseIf(
    labels.some((_, i) => PRIVATE_DOMAINS.has(labels.slice(i).join('.')) && i >= labels.length - 2),
    'must name a public host',
  )
  refuseIf(labels.length < 2, 'must name its host in full, with a dot')
}

/** Lower case, ASCII; addresses in their normal form and without brackets. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1')
}

/** `localhost`, names below it, and loopback addresses. */
export function isLoopbackHost(host: string): boolean {
  return isIP(host) === 0 ? /(^|\.)localhost$/.test(host) : isLoopback(host)
}

function refuseIf(broken: boolean, reason: string): void {
  if (broken) throw new UrlRefused(reason)
}

/** Why the client would refuse to call a URL, for instance `must use https`; null where it would call it. */
export function urlProblem(http: { checkUrl(url: string): URL }, url: string): string | null {
  try {
    http.checkUrl(url)
    return null
  } catch (error) {
    if (error instanceof UrlRefused) return error.reason
    throw error
  }
}
