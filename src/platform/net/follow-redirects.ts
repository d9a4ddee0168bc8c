import type { IncomingHttpHeaders } from 'node:http'
import { HttpError } from './error-codes.ts'

const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** Follows redirects and checks every URL. Never goes from https to http. */
export async function followRedirects<
  Response extends { readonly status: number; readonly headers: IncomingHttpHeaders },
>(
  options: { url: string; maxRedirects: number; check: (url: string) => URL; onRedirect: () => void },
  request: (url: URL) => Promise<Response>,
): Promise<Response> {
  const { maxRedirects, check } = options
  let url = check(options.url)
  for (let left = maxRedirects; ; left -= 1) {
    const response = await request(url)
    if (maxRedirects === 0 || !REDIRECTS.has(response.status)) return response
    options.onRedirect()
    const { location } = response.headers
    const next = location === undefined ? null : URL.parse(location, url)
    if (left === 0 || next === null) throw new HttpError('bad_redirect')
    if (url.protocol === 'https:' && next.protocol === 'http:') throw new HttpError('bad_redirect')
    // A fragment is allowed here but never sent to the host.
    next.hash = ''
    url = check(next.href)
  }
}
