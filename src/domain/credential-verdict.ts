import type { Pubkey } from '@agent-registry/solana'

/** From when until when something holds, ISO 8601 in UTC; null is without bound. */
export interface Validity {
  readonly from: string | null
  readonly until: string | null
}

/** `owner`: submitted by the agent's owner. `card`: listed by an agent card that matches its hash. */
export type CredentialSource = 'owner' | 'card'

/** What remains true of a credential whenever it is looked at: all but time, trust and status. */
export interface Verdict {
  /** `rulesMark` of the verifier that said it. */
  readonly rulesVersion: string
  /** Whether context, type, subject and proof_present pass. */
  readonly wellFormed: boolean
  /** Whether the credential's dates can be read and make sense. */
  readonly datesValid: boolean
  readonly issuer: string
  /** Every type besides VerifiableCredential. */
  readonly types: readonly string[]
  /** The latest begin and the earliest end of all that the credential says. */
  readonly validity: Validity
  /** The same of its proofs: the latest `created`, the earliest `expires`. */
  readonly proofValidity: Validity
  /** The keys that made the proofs; empty where they were not looked at. */
  readonly proofKeys: readonly IssuerKey[]
  /** Whether every signature is that of its key in `proofKeys`; null where that was not found out. */
  readonly signaturesValid: boolean | null
}

/** An Ed25519 key by which an issuer of credentials may sign. */
export interface IssuerKey {
  /** The DID URL that a proof names. */
  readonly verificationMethod: string
  readonly key: Pubkey
}
