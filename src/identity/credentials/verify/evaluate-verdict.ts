import type { CredentialState, CredentialStatus, Verdict } from '../../../domain/credential-verdict.ts'
import type { TrustRegistry } from '../trusted-issuers.ts'
import { timeProblem } from './checks/structure.ts'
import { hasKeys, trustProblem } from './checks/trust.ts'

/** How long a status counts if its list cannot be used again. Two refreshes may fail. */
export const STATUS_HOLDS_MS = 172_800_000

export interface EvaluationContext {
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly trust: TrustRegistry
  /** `getRulesVersion` of the verifier. */
  readonly rulesVersion: string
}

/** What a verdict means at `now`, with this registry and status. Reads no credential. */
export function evaluateVerdict(
  verdict: Verdict,
  status: CredentialStatus | null,
  { now, trust, rulesVersion }: EvaluationContext,
) {
  const { wellFormed, datesValid, validity, issuer, proofKeys, signaturesValid, proofValidity } = verdict
  const isTrusted = trustProblem(verdict, trust, now) === null
  const rulesMatch = verdict.rulesVersion === rulesVersion
  const keysMatch = signaturesValid !== null && hasKeys(trust.find(issuer), proofKeys)
  const isInTime = (period: typeof validity) => timeProblem(period, now, '') === null
  const structurallyValid = wellFormed && datesValid && isInTime(validity)
  const isSigned = rulesMatch && isTrusted && keysMatch && signaturesValid && isInTime(proofValidity)
  const state = verdict.hasStatus ? currentState(status, now) : null
  return {
    structurallyValid,
    proofVerified: isSigned && (state === null || state === 'valid'),
    /** Structurally valid, and neither revoked nor suspended. */
    active: structurallyValid && state !== 'revoked' && state !== 'suspended',
    /** Null if the credential has no status. */
    state,
    /** The rules changed, or the signature was not verified with the issuer's current keys. */
    needsVerification: !rulesMatch || (isTrusted && !keysMatch),
  }
}

/** A good status expires. A bad one does not: its list must say that it is good again. */
function currentState(status: CredentialStatus | null, now: number): CredentialState {
  if (status === null) return 'unknown'
  const isOld = now - Date.parse(status.checkedAt) > STATUS_HOLDS_MS
  return status.state === 'valid' && isOld ? 'unknown' : status.state
}
