import { UrlRefused } from './check-url.ts'
import type { GuardedHttp } from './guarded-http.ts'

/** Why the client would refuse to call a URL, for instance `must use https`; null where it would call it. */
export function urlProblem(http: Pick<GuardedHttp, 'checkUrl'>, url: string): string | null {
  try {
    http.checkUrl(url)
    return null
  } catch (error) {
    if (error instanceof UrlRefused) return error.reason
    throw error
  }
}
