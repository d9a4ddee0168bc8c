import type { CredentialStatus, Verdict } from '../../../domain/credential-verdict.ts'
import type { Contexts } from '../contexts/load.ts'
import { jcs, sha256Hex } from '../../json.ts'

/** The checks in the order of the response (contract, "Credential verification result"). */
export const CHECK_NAMES = [
  'context',
  'type',
  'subject',
  'temporal',
  'proof_present',
  'proof_verified',
] as const

/** Follows the six, but only for a credential with a `credentialStatus`. */
const STATUS_CHECK = 'status'

export type CheckName = (typeof CHECK_NAMES)[number] | typeof STATUS_CHECK

export interface Check {
  readonly check: CheckName
  readonly passed: boolean
  /** The reason, for people. */
  readonly detail: string
}

export const pass = (check: CheckName, detail: string): Check => ({ check, passed: true, detail })
export const fail = (check: CheckName, detail: string): Check => ({ check, passed: false, detail })

export interface VerificationResult {
  /** The first five checks passed. */
  readonly structurallyValid: boolean
  /** The checks proof_verified and, if there is one, status passed. */
  readonly proofVerified: boolean
  /** The known kind, otherwise the first type in sorted order. Empty if there is none. */
  readonly type: string
  /** DID. Empty if there is none. */
  readonly issuer: string
  /** Hex SHA-256 of the JCS form including the proof. Empty if the JSON is invalid. */
  readonly vcHash: string
  readonly checks: readonly Check[]
  /** ISO 8601 in UTC with milliseconds. Null if the credential has no valid date. */
  readonly validFrom: string | null
  readonly validUntil: string | null
  /** Why the input is not a JSON credential (size, syntax, repeated keys). Null if it is one. */
  readonly parseError: string | null
  readonly verdict: Verdict
  /** Null if the credential has no `credentialStatus`, or if no list could be used. */
  readonly status: CredentialStatus | null
}

/** Increment this with every change that can give a credential another verdict. */
const RULES_VERSION = 3

/** Identifies the rules and the JSON-LD contexts that a verdict depends on. */
export function getRulesVersion(contexts: Contexts, version = RULES_VERSION): string {
  return `${version}:${sha256Hex(jcs(Object.fromEntries(contexts)))}`
}
