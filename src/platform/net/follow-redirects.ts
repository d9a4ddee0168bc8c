import type { IncomingHttpHeaders } from 'node:http'
import { HttpError } from './error-codes.ts'

interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
}

const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** Calls `fetch` for the URL and each one it leads to; each is checked like the first, and never goes from https to http. */
export async function followRedirects<Result extends Answer>(
  options: { url: string; maxRedirects: number; check: (url: string) => URL },
  fetch: (url: URL) => Promise<Result>,
): Promise<Result> {
  const { maxRedirects, check } = options
  let url = check(options.url)
  for (let left = maxRedirects; ; left -= 1) {
    const answer = await fetch(url)
    if (maxRedirects === 0 || !REDIRECTS.has(answer.status)) return answer
    const { location } = answer.headers
    if (left === 0 || location === undefined || !URL.canParse(location, url)) {
      throw new HttpError('bad_redirect')
    }
    const next = new URL(location, url)
    // A fragment is for whoever shows the page, not for the host.
    next.hash = ''
    if (url.protocol === 'https:' && next.protocol === 'http:') throw new HttpError('bad_redirect')
    url = check(next.href)
  }
}
