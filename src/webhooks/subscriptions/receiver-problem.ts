import { UrlRefused } from '../../net/check-url.ts'
import type { GuardedHttp } from '../../net/guarded-http.ts'
import type { ReceiverProblem } from './read-input.ts'

/** The rules of the client that sends: what it would refuse to call is refused when it is given. */
export function receiverProblemOf(http: Pick<GuardedHttp, 'checkUrl'>): ReceiverProblem {
  return (url) => {
    try {
      http.checkUrl(url)
      return null
    } catch (error) {
      if (error instanceof UrlRefused) return error.reason
      throw error
    }
  }
}
