import type { VerificationResult } from '../verify/result.ts'

/** PostgreSQL's text and jsonb hold no NUL, which JSON can. */
export function isStorable({ type, issuer, verdict }: VerificationResult): boolean {
  return !JSON.stringify([type, issuer, verdict]).includes('\\u0000')
}
