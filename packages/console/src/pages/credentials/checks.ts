import type { CredentialCheckName } from './page.generated.ts'

interface Explanation {
  readonly title: string
  /** What the check asks, and why. */
  readonly text: string
  /** What to do if it fails. */
  readonly advice: string
}

/** The checks in their order. STATUS is there only for a credential with a status list. */
export const CHECKS: Readonly<Record<CredentialCheckName, Explanation>> = {
  CONTEXT: {
    title: 'Vocabulary',
    text: 'Every word of the credential must come from a vocabulary that this service knows. Otherwise it could mean something else than it says.',
    advice: 'Ask the issuer to use only the contexts that the documentation lists.',
  },
  TYPE: {
    title: 'Type',
    text: 'It must be a verifiable credential, with at most one of the four types: security audit, identity, capability or compliance.',
    advice: 'Ask the issuer for a credential of one of these types.',
  },
  SUBJECT: {
    title: 'Subject',
    text: 'It must be about the agent: its subject must be the DID of the owner.',
    advice: 'Give the issuer the DID of your agent. A credential about another agent cannot be used.',
  },
  TEMPORAL: {
    title: 'Dates',
    text: 'It must be valid now, by its first and its last day.',
    advice: 'Wait until it begins, or ask the issuer for a new one.',
  },
  PROOF_PRESENT: {
    title: 'Proof',
    text: 'It must contain the signature of its issuer.',
    advice: 'Use the signed file that the issuer gave you, without changes.',
  },
  PROOF_VERIFIED: {
    title: 'Trust',
    text: 'The signature must be right, and this service must trust the issuer for this type.',
    advice:
      'If the signature is right, only the operator of this service can add the issuer to those it trusts.',
  },
  STATUS: {
    title: 'Status',
    text: 'If the issuer publishes a list of revoked or suspended credentials, this one must not be on it.',
    advice: 'If the list cannot be read, try again later. If the credential is on it, ask the issuer why.',
  },
}
