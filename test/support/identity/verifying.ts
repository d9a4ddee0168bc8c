import { afterAll, expect } from 'vitest'
import { trustRegistry } from '../../../src/identity/credentials/trusted-issuers.ts'
import {
  CHECK_NAMES,
  type CheckName,
  type VerificationResult,
} from '../../../src/identity/credentials/verify/result.ts'
import { createVerifier } from '../../../src/identity/credentials/verify/verifier.ts'
import { AGENT_DID, contexts, NOW, type TestIssuer } from './issuer.ts'

/** Verifies with trust in these issuers for all types. The verifier is closed after the file. */
export function verifierTrusting(...issuers: TestIssuer[]) {
  // A high limit, because other tests may use the CPU at the same time.
  const verifier = createVerifier({ contexts, size: 1, limitMs: 5_000 })
  const trust = trustRegistry(issuers.map(({ trusted }) => trusted))
  afterAll(() => verifier.close())
  return (raw: unknown, now = NOW): Promise<VerificationResult> =>
    verifier.verify(raw, { agentDid: AGENT_DID, now, trust })
}

/** Expects all checks in order. Exactly `failing` fail, and the first of them has this detail. */
export function expectFailures(
  { checks, ...result }: VerificationResult,
  failing: CheckName[],
  detail: RegExp,
): void {
  expect(checks.map(({ check }) => check)).toEqual(CHECK_NAMES)
  expect(checks.filter(({ passed }) => !passed).map(({ check }) => check)).toEqual(failing)
  expect(checks.find(({ passed }) => !passed)?.detail).toMatch(detail)
  expect(result.structurallyValid).toBe(failing.every((check) => check === 'proof_verified'))
  expect(result.proofVerified).toBe(!failing.includes('proof_verified'))
}
