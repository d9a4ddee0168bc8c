import { exactInteger } from '../contract/exact-integer.ts'
import type { GetEligibilityQuery } from '../generated/graphql.ts'

/** Either the balance or the reason, as the contract has it. */
export function toEligibility({ eligibility: { eligible, feePayerBalance, reason } }: GetEligibilityQuery) {
  return eligible
    ? { eligible, feePayerBalance: exactInteger(feePayerBalance ?? '0') }
    : { eligible, reason: reason ?? '' }
}
