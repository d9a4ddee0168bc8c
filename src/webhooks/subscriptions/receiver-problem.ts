import type { GuardedHttp } from '../../platform/net/guarded-http.ts'
import type { ReceiverProblem } from './read-input.ts'
import { urlProblem } from '../../platform/net/check-url.ts'

/** The rules of the client that sends: what it would refuse to call is refused when it is given. */
export function receiverProblemOf(http: Pick<GuardedHttp, 'checkUrl'>): ReceiverProblem {
  return (url) => urlProblem(http, url)
}
