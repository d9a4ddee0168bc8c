import type { TrustRegistry } from '../trusted-issuers/issuer.ts'
import { timeProblem } from './checks/temporal.ts'
import { proofTimeProblem } from './proofs.ts'
import type { Verdict } from './result.ts'
import { hasKeys, trustProblem } from './trust.ts'

/** What a stored verdict says at another time, with another registry of issuers. */
export interface Reevaluation {
  readonly structurallyValid: boolean
  readonly proofVerified: boolean
  /** The issuer is trusted now, but no signature was checked, or by other keys: the document has to be verified again. */
  readonly needsVerification: boolean
}

/** Tells a stored verdict for `now` (ms) and the issuers of now, without reading the credential. */
export function reevaluate(
  verdict: Verdict,
  { now, trust }: { now: number; trust: TrustRegistry },
): Reevaluation {
  const { issuer, proofKeys, signaturesValid, proofValidity } = verdict
  const isTrusted = trustProblem(verdict, trust, now) === null
  const byItsKeys = signaturesValid !== null && hasKeys(trust.find(issuer), proofKeys)
  return {
    structurallyValid: isStructurallyValid(verdict, now),
    proofVerified: isTrusted && byItsKeys && signaturesValid && proofTimeProblem(proofValidity, now) === null,
    needsVerification: isTrusted && !byItsKeys,
  }
}

function isStructurallyValid({ wellFormed, datesSound, validity }: Verdict, now: number): boolean {
  return wellFormed && datesSound && timeProblem(validity, now, 'the credential') === null
}
