import type { Validity } from '../../../../domain/credential-verdict.ts'
import { quoted } from '../../../../domain/quoted.ts'
import type { JsonObject } from '../../../strict-json.ts'
import { parseDateTimeStamp } from '../../dates.ts'
import { type Check, fail, pass } from '../result.ts'
import type { DataModel } from './context.ts'

/** Clocks may differ by this much. */
const CLOCK_SKEW_MS = 300_000

/** The validity period of a credential. `problem` says why its dates are invalid. */
export interface CredentialDates {
  readonly validity: Validity
  readonly problem: string | null
}

/**
 * Applies every date of VC 1.1 and 2.0, because the contexts of both versions define all of them.
 */
export function readDates(credential: JsonObject, model: DataModel | null): CredentialDates {
  const from: number[] = []
  const until: number[] = []
  for (const [term, times] of [
    ['issuanceDate', from],
    ['validFrom', from],
    ['expirationDate', until],
    ['validUntil', until],
  ] as const) {
    if (!Object.hasOwn(credential, term)) continue
    const time = parseDateTimeStamp(credential[term])
    if (time === null) {
      const example = '2026-01-31T00:00:00Z'
      return invalid(
        `${term} must be a date and time with a time zone, such as ${example}; it is ${quoted(credential[term])}`,
      )
    }
    times.push(time)
  }
  const validity = {
    from: from.length === 0 ? null : new Date(Math.max(...from)).toISOString(),
    until: until.length === 0 ? null : new Date(Math.min(...until)).toISOString(),
  }
  if (model === '1.1' && !Object.hasOwn(credential, 'issuanceDate')) {
    return invalid('issuanceDate is missing; VC 1.1 requires it')
  }
  if (Math.max(...from) > Math.min(...until)) {
    return invalid(`the credential ends (${validity.until}) before it starts (${validity.from})`)
  }
  return { validity, problem: null }
}

const invalid = (problem: string): CredentialDates => ({ validity: { from: null, until: null }, problem })

export function checkTemporal({ validity, problem }: CredentialDates, now: number): Check {
  const reason = problem ?? timeProblem(validity, now, 'the credential')
  if (reason !== null) return fail('temporal', reason)
  const { from, until } = validity
  const start = from === null ? '' : ` from ${from}`
  const end = until === null ? ' without expiry' : ` until ${until}`
  return pass('temporal', `valid${start}${end}`)
}

/** Why `subject` is not valid at `now`, in milliseconds. Null if it is valid. */
export function timeProblem({ from, until }: Validity, now: number, subject: string): string | null {
  if (from !== null && Date.parse(from) > now + CLOCK_SKEW_MS) return `${subject} is not valid before ${from}`
  if (until !== null && Date.parse(until) < now - CLOCK_SKEW_MS) return `${subject} expired at ${until}`
  return null
}
