import type { TrustRegistry } from '../../trusted-issuers/issuer.ts'
import type { ParsedProof } from './parse-proof.ts'
import type { CryptoPool } from '../crypto/pool.ts'
import type { CryptoOutcome, CryptoTask } from '../crypto/protocol.ts'
import { verifyProofs } from '../crypto/verify-proofs.ts'
import { findProofKeys, proofTimeProblem, proofValidity, parseProofs } from '../proofs.ts'
import { type Check, fail, pass } from '../result.ts'
import type { JsonObject } from '../strict-json.ts'
import { trustProblem } from './trust.ts'
import type { VerdictCache } from '../verdict-cache.ts'
import type { Validity, IssuerKey } from '../../../../domain/credential-verdict.ts'

export interface ProofsResult {
  readonly check: Check
  readonly proofValidity: Validity
  readonly proofKeys: readonly IssuerKey[]
  readonly signaturesValid: boolean | null
  readonly contentHash: string | null
}

interface ReadCredential {
  readonly credential: JsonObject
  readonly canonical: string
  readonly vcHash: string
  readonly proofs: readonly JsonObject[]
  readonly issuer: string
  readonly types: readonly string[]
}

interface Means {
  readonly now: number
  readonly trust: TrustRegistry
  readonly pool: CryptoPool
  readonly cache: VerdictCache
}

/**
 * The check `proof_verified`, cheap to costly: form of the proofs, trust, keys, dates of the proofs, and at last the signatures, so
 * that only trusted issuers cost computing time. Every proof must hold.
 */
export async function checkProofVerified(read: ReadCredential, means: Means): Promise<ProofsResult> {
  const { issuer, types } = read
  const { trust, now } = means
  const nothing = {
    proofValidity: { from: null, until: null },
    proofKeys: [],
    signaturesValid: null,
    contentHash: null,
  }
  const shaped = parseProofs(read.proofs, read.credential)
  if (typeof shaped === 'string') {
    return { ...nothing, check: fail('proof_verified', shaped), signaturesValid: false }
  }
  const validity = proofValidity(shaped)
  const untrusted = trustProblem({ issuer, types }, trust, now)
  const keys = untrusted ?? findProofKeys(shaped, trust.find(issuer))
  if (typeof keys === 'string') {
    const detail = untrusted === null ? keys : `${keys}; the signature was not checked`
    return { ...nothing, check: fail('proof_verified', detail), proofValidity: validity }
  }
  const tasks = shaped.map(({ suite }, i) => ({ suite, key: keys[i]!.key }))
  const outcome = await signatures(read, tasks, means)
  const common = { proofValidity: validity, proofKeys: keys }
  if (outcome.outcome === 'undecided') {
    const check = fail('proof_verified', `no verdict: the verification was stopped, ${outcome.reason}`)
    return { ...common, check, signaturesValid: null, contentHash: null }
  }
  const { valid, problem, contentHash } = outcome.verdict
  const trouble = valid ? proofTimeProblem(validity, now) : problem
  const check =
    trouble === null ? pass('proof_verified', verifiedDetail(read, shaped)) : fail('proof_verified', trouble)
  return { ...common, check, signaturesValid: valid, contentHash }
}

async function signatures(
  { canonical, vcHash }: ReadCredential,
  proofs: CryptoTask['proofs'],
  { pool, cache }: Means,
): Promise<CryptoOutcome> {
  const cacheKey = [vcHash, ...proofs.map(({ key }) => key)].join()
  const cached = cache.get(cacheKey)
  if (cached !== undefined) return { outcome: 'decided', verdict: cached }
  const outcome = await checked({ credential: canonical, proofs }, pool)
  if (outcome.outcome === 'decided') cache.set(cacheKey, outcome.verdict)
  return outcome
}

/** JCS is cheap within LIMITS, cheaper than the way to a thread and back; JSON-LD is not. */
async function checked(task: CryptoTask, pool: CryptoPool): Promise<CryptoOutcome> {
  if (task.proofs.some(({ suite }) => suite !== 'eddsa-jcs-2022')) return pool.run(task)
  return { outcome: 'decided', verdict: await verifyProofs(task, noJsonLd) }
}

const noJsonLd = (): Promise<never> => Promise.reject(new Error('JSON-LD belongs into the threads'))

function verifiedDetail({ issuer, credential }: ReadCredential, proofs: readonly ParsedProof[]): string {
  const suites = [...new Set(proofs.map(({ suite }) => suite))].join(', ')
  const status = Object.hasOwn(credential, 'credentialStatus') ? '; its credentialStatus was not checked' : ''
  return `signed by ${issuer}, a trusted issuer (${suites})${status}`
}
