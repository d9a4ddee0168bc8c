import type { Verdict } from '../../../domain/credential-verdict.ts'

/** The checks in the order in which they are told (contract, Credential verification result). */
export const CHECK_NAMES = [
  'context',
  'type',
  'subject',
  'temporal',
  'proof_present',
  'proof_verified',
] as const

export type CheckName = (typeof CHECK_NAMES)[number] | 'status'

export interface Check {
  readonly check: CheckName
  readonly passed: boolean
  /** Why, in words for people. */
  readonly detail: string
}

export const pass = (check: CheckName, detail: string): Check => ({ check, passed: true, detail })
export const fail = (check: CheckName, detail: string): Check => ({ check, passed: false, detail })

/** The contract's result, with what else callers need. */
export interface VerificationResult {
  /** The first five checks. */
  readonly structurallyValid: boolean
  readonly proofVerified: boolean
  /** The known kind, else the first other type in order; empty where there is none. */
  readonly type: string
  /** DID; empty where there is none. */
  readonly issuer: string
  /** Hex SHA-256 of the JCS form with proof; empty where the text cannot be read. */
  readonly vcHash: string
  readonly checks: readonly Check[]
  /** The effective dates, ISO 8601 in UTC with milliseconds; null where none is given or they cannot be read. */
  readonly validFrom: string | null
  readonly validUntil: string | null
  /**
   * Hex SHA-256 of what was signed, the same for documents that differ only where JSON-LD sees no difference; null where no signature
   * was checked.
   */
  readonly contentHash: string | null
  /** Why the text cannot be read as a credential at all (size, syntax, duplicate keys …); else null. */
  readonly parseError: string | null
  readonly verdict: Verdict
}
