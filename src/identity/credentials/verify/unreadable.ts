import { CHECK_NAMES, fail, type VerificationResult } from './result.ts'

const NO_BOUNDS = { from: null, until: null }

/** The result for a text that cannot be read: every check fails, and says so. */
export function unreadableResult(problem: string, rules: string): VerificationResult {
  return {
    structurallyValid: false,
    proofVerified: false,
    type: '',
    issuer: '',
    vcHash: '',
    checks: CHECK_NAMES.map((check) => fail(check, `the credential cannot be read: ${problem}`)),
    validFrom: null,
    validUntil: null,
    contentHash: null,
    parseError: problem,
    verdict: {
      rulesVersion: rules,
      wellFormed: false,
      datesValid: false,
      issuer: '',
      types: [],
      validity: NO_BOUNDS,
      proofValidity: NO_BOUNDS,
      proofKeys: [],
      signaturesValid: false,
    },
  }
}
