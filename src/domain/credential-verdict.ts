import type { Pubkey } from '@agent-registry/solana'

/** A period. ISO 8601 in UTC; null means no limit. */
export interface Validity {
  readonly from: string | null
  readonly until: string | null
}

/** `owner`: submitted by the agent's owner. `card`: listed in an agent card that matches. */
export type CredentialSource = 'owner' | 'card'

/** The result of a verification without the parts that change: time, trust and status. */
export interface Verdict {
  /** `getRulesVersion` of the verifier that made it. */
  readonly rulesVersion: string
  /** The checks context, type, subject and proof_present passed. */
  readonly wellFormed: boolean
  /** The credential's dates are valid, and its start is before its end. */
  readonly datesValid: boolean
  readonly issuer: string
  /** All types except VerifiableCredential. */
  readonly types: readonly string[]
  /** The latest start and the earliest end in the credential. */
  readonly validity: Validity
  /** The latest `created` and the earliest `expires` of its proofs. */
  readonly proofValidity: Validity
  /** The keys of the proofs. Empty if no key was looked up. */
  readonly proofKeys: readonly IssuerKey[]
  /** Whether all signatures match `proofKeys`. Null if they were not verified. */
  readonly signaturesValid: boolean | null
  /** The credential has a `credentialStatus`. What it says is in `CredentialStatus`. */
  readonly hasStatus: boolean
}

/** What the issuer's status lists said about a credential. */
export interface CredentialStatus {
  readonly state: 'valid' | 'revoked' | 'suspended'
  /** When the lists were fetched, ISO 8601. The oldest, if there are several. */
  readonly checkedAt: string
}

/** As shown to users. `unknown`: no list could be used within two days. */
export type CredentialState = CredentialStatus['state'] | 'unknown'

/** An Ed25519 key with which an issuer may sign credentials. */
export interface IssuerKey {
  /** The DID URL in a proof. */
  readonly verificationMethod: string
  readonly key: Pubkey
}
