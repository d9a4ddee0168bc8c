import type { Verdict } from '../../../domain/credential-verdict.ts'
import type { TrustRegistry } from '../trusted-issuers/issuer.ts'
import { timeProblem } from './checks/temporal.ts'
import { hasKeys, trustProblem } from './checks/trust.ts'

/** What a stored verdict means at a given time, with a given registry of issuers. */
export interface VerdictStatus {
  readonly structurallyValid: boolean
  readonly proofVerified: boolean
  /** The rules changed, or the signature was not verified with the issuer's current keys. */
  readonly needsVerification: boolean
}

export interface EvaluationContext {
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly trust: TrustRegistry
  /** `getRulesVersion` of the verifier. */
  readonly rulesVersion: string
}

/** Applies time, trust and rules to a stored verdict. Does not read the credential. */
export function evaluateVerdict(
  verdict: Verdict,
  { now, trust, rulesVersion }: EvaluationContext,
): VerdictStatus {
  const { wellFormed, datesValid, validity, issuer, proofKeys, signaturesValid, proofValidity } = verdict
  const isTrusted = trustProblem(verdict, trust, now) === null
  const rulesMatch = verdict.rulesVersion === rulesVersion
  const keysMatch = signaturesValid !== null && hasKeys(trust.find(issuer), proofKeys)
  const isInTime = (period: typeof validity) => timeProblem(period, now, '') === null
  return {
    structurallyValid: wellFormed && datesValid && isInTime(validity),
    proofVerified: rulesMatch && isTrusted && keysMatch && signaturesValid && isInTime(proofValidity),
    needsVerification: !rulesMatch || (isTrusted && !keysMatch),
  }
}
