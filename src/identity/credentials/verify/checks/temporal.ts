import { quoted } from '../../../../domain/quoted.ts'
import { parseDateTimeStamp } from '../../dates.ts'
import { CLOCK_SKEW_MS } from '../limits.ts'
import { type Check, fail, pass } from '../result.ts'
import type { JsonObject } from '../strict-json.ts'
import type { DataModel } from './context.ts'
import type { Validity } from '../../../../domain/credential-verdict.ts'

const FROM_TERMS = ['issuanceDate', 'validFrom'] as const
const UNTIL_TERMS = ['expirationDate', 'validUntil'] as const

/** The dates of a credential; `problem` where they cannot be read or make no sense. */
export interface CredentialDates {
  readonly validity: Validity
  readonly problem: string | null
}

/** Every date of VC 1.1 and 2.0 that is present counts, whichever of them the credential is: its contexts define them. */
export function readDates(credential: JsonObject, model: DataModel | null): CredentialDates {
  const from: number[] = []
  const until: number[] = []
  for (const [terms, times] of [
    [FROM_TERMS, from],
    [UNTIL_TERMS, until],
  ] as const) {
    for (const term of terms) {
      if (!Object.hasOwn(credential, term)) continue
      const time = parseDateTimeStamp(credential[term])
      if (time === null)
        return unsound(
          `${term} must be a date and time with zone, as in 2026-01-31T00:00:00Z; it is ${quoted(credential[term])}`,
        )
      times.push(time)
    }
  }
  const validity = {
    from: from.length === 0 ? null : new Date(Math.max(...from)).toISOString(),
    until: until.length === 0 ? null : new Date(Math.min(...until)).toISOString(),
  }
  if (model === '1.1' && !Object.hasOwn(credential, 'issuanceDate'))
    return unsound('issuanceDate is missing (VC 1.1)')
  if (from.length > 0 && until.length > 0 && Math.max(...from) > Math.min(...until)) {
    return unsound(`the credential ends (${validity.until}) before it begins (${validity.from})`)
  }
  return { validity, problem: null }
}

const unsound = (problem: string): CredentialDates => ({ validity: { from: null, until: null }, problem })

/** Whether the credential is within its dates at `now` (ms), clocks being up to five minutes apart. */
export function checkTemporal({ validity, problem }: CredentialDates, now: number): Check {
  const trouble = problem ?? timeProblem(validity, now, 'the credential')
  if (trouble !== null) return fail('temporal', trouble)
  const { from, until } = validity
  return pass(
    'temporal',
    `valid ${from === null ? '' : `from ${from} `}${until === null ? 'without end' : `until ${until}`}`,
  )
}

export function timeProblem({ from, until }: Validity, now: number, what: string): string | null {
  if (from !== null && Date.parse(from) > now + CLOCK_SKEW_MS) return `${what} is not valid before ${from}`
  if (until !== null && Date.parse(until) < now - CLOCK_SKEW_MS) return `${what} expired at ${until}`
  return null
}
