import type { LRUCache } from 'lru-cache'
import type { IssuerKey, Validity } from '../../../../domain/credential-verdict.ts'
import { isObject, type JsonObject } from '../../../json.ts'
import type { TrustRegistry } from '../../trusted-issuers.ts'
import type { CryptoPool } from '../crypto/pool.ts'
import type { CryptoOutcome, CryptoTask, CryptoVerdict } from '../crypto/protocol.ts'
import { verifyProofs } from '../crypto/verify-proofs.ts'
import { MAX_CREDENTIAL_BYTES } from '../parse-credential.ts'
import { commonValidity, type ParsedProof, parseProofs } from './parse-proof.ts'
import { type Check, fail, pass } from '../result.ts'
import { timeProblem } from './structure.ts'
import { findProofKeys, trustProblem } from './trust.ts'

interface ProofResult {
  readonly check: Check
  readonly proofValidity: Validity
  readonly proofKeys: readonly IssuerKey[]
  /** Null if no signature was verified. */
  readonly signaturesValid: boolean | null
}

interface ReadCredential {
  readonly credential: JsonObject
  readonly canonical: string
  readonly vcHash: string
  readonly proofs: readonly JsonObject[]
  readonly issuer: string
  /** Null for a status list. */
  readonly types: readonly string[] | null
}

export interface ProofDependencies {
  readonly now: number
  readonly trust: TrustRegistry
  readonly pool: CryptoPool
  /** Results by document and keys. Unlike time and trust, they never change. */
  readonly cache: LRUCache<string, CryptoVerdict>
}

/**
 * The check `proof_verified`. Every proof must be valid. Signatures come last, so that only
 * credentials of trusted issuers cost CPU time.
 */
export async function checkProofVerified(
  read: ReadCredential,
  { now, trust, pool, cache }: ProofDependencies,
): Promise<ProofResult> {
  const { credential, issuer, types } = read
  const parsed = parseProofs(read.proofs, credential)
  if (typeof parsed === 'string') return { ...proofNotChecked(parsed), signaturesValid: false }
  const proofValidity = commonValidity(parsed)
  const untrusted = trustProblem({ issuer, types }, trust, now)
  if (untrusted !== null) {
    return { ...proofNotChecked(`${untrusted}; the signature was not checked`), proofValidity }
  }
  const proofKeys = findProofKeys(parsed, trust.find(issuer))
  if (typeof proofKeys === 'string') return { ...proofNotChecked(proofKeys), proofValidity }

  const tasks = parsed.map(({ suite }, i) => ({ suite, key: proofKeys[i]!.key }))
  const outcome = await verifySignatures(read, tasks, pool, cache)
  if (outcome.outcome === 'undecided') {
    const detail = `no result: the verification was stopped because ${outcome.reason}`
    return { ...proofNotChecked(detail), proofValidity, proofKeys }
  }
  const { valid, problem } = outcome.verdict
  const reason = valid ? timeProblem(proofValidity, now, 'the proof') : problem
  const check =
    reason === null ? pass('proof_verified', verifiedDetail(read, parsed)) : fail('proof_verified', reason)
  return { check, proofValidity, proofKeys, signaturesValid: valid }
}

/** The result if no signature was verified. */
export function proofNotChecked(detail: string): ProofResult {
  return {
    check: fail('proof_verified', detail),
    proofValidity: { from: null, until: null },
    proofKeys: [],
    signaturesValid: null,
  }
}

async function verifySignatures(
  { canonical, vcHash }: ReadCredential,
  proofs: CryptoTask['proofs'],
  pool: CryptoPool,
  cache: ProofDependencies['cache'],
): Promise<CryptoOutcome> {
  const cacheKey = [vcHash, ...proofs.map(({ key }) => key)].join()
  const cached = cache.get(cacheKey)
  if (cached !== undefined) return { outcome: 'decided', verdict: cached }
  const task = { credential: canonical, proofs }
  // JCS takes less time than sending the task to a thread. JSON-LD and long lists do not.
  const isFast = canonical.length <= MAX_CREDENTIAL_BYTES
  const outcome =
    isFast && proofs.every(({ suite }) => suite === 'eddsa-jcs-2022')
      ? { outcome: 'decided' as const, verdict: await verifyProofs(task, rejectJsonLd) }
      : await pool.run(task)
  if (outcome.outcome === 'decided') cache.set(cacheKey, outcome.verdict)
  return outcome
}

const rejectJsonLd = (): Promise<never> => Promise.reject(new Error('JSON-LD runs in threads only'))

function verifiedDetail({ issuer }: ReadCredential, proofs: readonly ParsedProof[]): string {
  const suites = [...new Set(proofs.map(({ suite }) => suite))].join(', ')
  return `signed by ${issuer}, a trusted issuer (${suites})`
}

export const MAX_PROOFS = 4

/** The proofs of a credential. Null if `proof` is missing or invalid. */
export function getProofs({ proof }: JsonObject): JsonObject[] | null {
  const proofs = Array.isArray(proof) ? proof : [proof]
  const isValid = proofs.length > 0 && proofs.length <= MAX_PROOFS && proofs.every(isObject)
  return isValid ? proofs : null
}

export function checkProofPresent(credential: JsonObject): Check {
  const proofs = getProofs(credential)
  if (proofs === null) {
    return fail('proof_present', `proof must be an object, or a list of 1 to ${MAX_PROOFS} objects`)
  }
  return pass(
    'proof_present',
    proofs.length === 1 ? 'a proof is present' : `${proofs.length} proofs are present`,
  )
}
