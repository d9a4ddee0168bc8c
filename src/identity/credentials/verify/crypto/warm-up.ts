import {
  AGENT_CREDENTIALS_V1,
  CREDENTIALS_V1,
  CREDENTIALS_V2,
  DATA_INTEGRITY_V2,
  ED25519_SIGNATURE_2020_V1,
} from '../../contexts/pinned.ts'
import type { Canonize } from './canonize.ts'

const ROUNDS = 5

/** Canonicalises small credentials, so that contexts are resolved and code is compiled. */
export async function warmUp(canonize: Canonize): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    for (const [base, suite] of [
      [CREDENTIALS_V1, ED25519_SIGNATURE_2020_V1],
      [CREDENTIALS_V1, DATA_INTEGRITY_V2],
      [CREDENTIALS_V2, ED25519_SIGNATURE_2020_V1],
    ] as const) {
      const contexts = [base, AGENT_CREDENTIALS_V1, suite]
      const type = suite === DATA_INTEGRITY_V2 ? 'DataIntegrityProof' : 'Ed25519Signature2020'
      await canonize({ '@context': contexts, type, proofPurpose: 'assertionMethod' })
      await canonize({
        '@context': contexts,
        type: ['VerifiableCredential', 'SecurityAuditCredential'],
        issuer: 'did:example:issuer',
        credentialSubject: { id: 'did:example:subject', auditResult: 'none' },
      })
    }
  }
}
