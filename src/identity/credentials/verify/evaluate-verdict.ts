import type { TrustRegistry } from '../trusted-issuers/issuer.ts'
import { timeProblem } from './checks/temporal.ts'
import { proofTimeProblem } from './proofs.ts'
import { hasKeys, trustProblem } from './checks/trust.ts'
import type { Verdict } from '../../../domain/credential-verdict.ts'

/** What a stored verdict says at another time, with another registry of issuers. */
export interface VerdictStatus {
  readonly structurallyValid: boolean
  readonly proofVerified: boolean
  /**
   * The verdict is by other rules; or the issuer is trusted now, but no signature was checked, or by other keys: the document has to be
   * verified again.
   */
  readonly needsVerification: boolean
}

/** Tells a stored verdict for `now` (ms), the issuers and the rules (`rulesMark`) of now, without reading the credential. */
export function evaluateVerdict(
  verdict: Verdict,
  { now, trust, rules }: { now: number; trust: TrustRegistry; rules: string },
): VerdictStatus {
  const { issuer, proofKeys, signaturesValid, proofValidity } = verdict
  const isTrusted = trustProblem(verdict, trust, now) === null
  const byTheRules = verdict.rulesVersion === rules
  const byItsKeys = signaturesValid !== null && hasKeys(trust.find(issuer), proofKeys)
  return {
    structurallyValid: isStructurallyValid(verdict, now),
    proofVerified:
      byTheRules &&
      isTrusted &&
      byItsKeys &&
      signaturesValid &&
      proofTimeProblem(proofValidity, now) === null,
    needsVerification: !byTheRules || (isTrusted && !byItsKeys),
  }
}

function isStructurallyValid(
  { wellFormed, datesValid: datesSound, validity }: Verdict,
  now: number,
): boolean {
  return wellFormed && datesSound && timeProblem(validity, now, 'the credential') === null
}
