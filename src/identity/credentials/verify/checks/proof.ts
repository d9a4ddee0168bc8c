import { isDeepStrictEqual } from 'node:util'
import type { LRUCache } from 'lru-cache'
import type { IssuerKey, Validity } from '../../../../domain/credential-verdict.ts'
import { quoted } from '../../../../domain/quoted.ts'
import { isObject, type JsonObject } from '../../../json.ts'
import { CREDENTIALS_V2, DATA_INTEGRITY_V2, ED25519_SIGNATURE_2020_V1 } from '../../contexts/pinned.ts'
import { decodeSignature, parseDateTimeStamp } from '../../formats.ts'
import type { TrustRegistry } from '../../trusted-issuers.ts'
import type { CryptoOutcome, CryptoPool } from '../crypto/pool.ts'
import { type CryptoTask, type CryptoVerdict, type Suite, verifyProofs } from '../crypto/verify-proofs.ts'
import { MAX_CREDENTIAL_BYTES } from '../parse-credential.ts'
import { type Check, fail, pass } from '../result.ts'
import { timeProblem } from './structure.ts'
import { findProofKeys, proofName, trustProblem } from './trust.ts'

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
 * The check `proof_verified`, after `proof_present`. Every proof must be valid. Signatures come
 * last, so that only credentials of trusted issuers cost CPU time.
 */
export async function checkProofVerified(
  read: ReadCredential,
  { now, trust, pool, cache }: ProofDependencies,
): Promise<ProofResult> {
  const { credential, issuer, types } = read
  const parsed = parseProofs(getProofs(credential)!, credential)
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
  if (typeof outcome === 'string') {
    const detail = `no result: the verification was stopped because ${outcome}`
    return { ...proofNotChecked(detail), proofValidity, proofKeys }
  }
  const { valid, problem } = outcome
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
  if (cached !== undefined) return cached
  const task = { credential: canonical, proofs }
  // JCS takes less time than sending the task to a thread. JSON-LD and long lists do not.
  const isFast = canonical.length <= MAX_CREDENTIAL_BYTES
  const outcome =
    isFast && proofs.every(({ suite }) => suite === 'eddsa-jcs-2022')
      ? await verifyProofs(task, rejectJsonLd)
      : await pool.run(task)
  if (typeof outcome !== 'string') cache.set(cacheKey, outcome)
  return outcome
}

const rejectJsonLd = (): Promise<never> => Promise.reject(new Error('JSON-LD runs in threads only'))

function verifiedDetail({ issuer }: ReadCredential, proofs: readonly ParsedProof[]): string {
  const suites = [...new Set(proofs.map(({ suite }) => suite))].join(', ')
  return `signed by ${issuer}, a trusted issuer (${suites})`
}

export const MAX_PROOFS = 4

/** The proofs of a credential. Null if `proof` is missing or invalid. */
function getProofs({ proof }: JsonObject): JsonObject[] | null {
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

/** 64 bytes have at most 89 characters in multibase. Decoding takes quadratic time. */
const MAX_PROOF_VALUE_LENGTH = 100

/** A well-formed proof. Its signature is not verified yet. */
interface ParsedProof {
  readonly suite: Suite
  readonly verificationMethod: string
  readonly validity: Validity
}

/** Parses all proofs. Returns a text if one is not supported. */
function parseProofs(proofs: readonly JsonObject[], credential: JsonObject): ParsedProof[] | string {
  const parsed: ParsedProof[] = []
  for (const [i, proof] of proofs.entries()) {
    const each = parseProof(proof, credential['@context'] as string[])
    if (typeof each === 'string') return `${proofName(proofs.length, i)} is not supported: ${each}`
    parsed.push(each)
  }
  return parsed
}

/** The period in which all proofs are valid: the latest start and the earliest end. */
function commonValidity(proofs: readonly ParsedProof[]): Validity {
  const bounds = (bound: keyof Validity) => proofs.flatMap(({ validity }) => validity[bound] ?? []).sort()
  return { from: bounds('from').at(-1) ?? null, until: bounds('until')[0] ?? null }
}

/** Sources: W3C vc-di-eddsa, VC Data Integrity 1.0. */
function parseProof(proof: JsonObject, contexts: string[]): ParsedProof | string {
  const suite = getSuite(proof)
  if (suite === null) {
    return `its type ${quoted(proof.cryptosuite ?? proof.type)} must be Ed25519Signature2020, or DataIntegrityProof with eddsa-rdfc-2022 or eddsa-jcs-2022`
  }
  const { verificationMethod, created, expires } = proof
  if (typeof verificationMethod !== 'string') return 'its verificationMethod must be a URL'
  const problem = memberProblem(proof) ?? contextProblem(proof, suite, contexts)
  if (problem !== null) return problem
  const from = created === undefined ? null : parseDateTimeStamp(created)
  const until = expires === undefined ? null : parseDateTimeStamp(expires)
  if (from === null && (created !== undefined || suite === 'Ed25519Signature2020')) {
    return 'its created must be a date and time with a time zone'
  }
  if (until === null && expires !== undefined) {
    return 'its expires must be a date and time with a time zone'
  }
  if (from !== null && until !== null && from > until) return 'it expires before it was created'
  const iso = (time: number | null) => (time === null ? null : new Date(time).toISOString())
  return { suite, verificationMethod, validity: { from: iso(from), until: iso(until) } }
}

function getSuite({ type, cryptosuite }: JsonObject): Suite | null {
  if (type === 'Ed25519Signature2020') return type
  const isKnown = cryptosuite === 'eddsa-rdfc-2022' || cryptosuite === 'eddsa-jcs-2022'
  return type === 'DataIntegrityProof' && isKnown ? cryptosuite : null
}

function memberProblem({ proofPurpose, proofValue, ...proof }: JsonObject): string | null {
  if (proofPurpose !== 'assertionMethod') {
    return `its proofPurpose must be assertionMethod; it is ${quoted(proofPurpose)}`
  }
  if (Object.hasOwn(proof, 'previousProof')) return 'proof chains (previousProof) are not supported'
  // Other suites do not sign these members.
  if (Object.hasOwn(proof, 'jws') || Object.hasOwn(proof, 'signatureValue')) {
    return 'it has a second signature next to proofValue'
  }
  const isSignature =
    typeof proofValue === 'string' &&
    proofValue.length <= MAX_PROOF_VALUE_LENGTH &&
    decodeSignature(proofValue) !== null
  return isSignature ? null : 'its proofValue must be a signature of 64 bytes in multibase base-58 (z…)'
}

function contextProblem(proof: JsonObject, suite: Suite, contexts: string[]): string | null {
  const { '@context': own } = proof
  if (suite === 'eddsa-jcs-2022') {
    if (own === undefined) return null
    const isPrefix =
      Array.isArray(own) && own.length > 0 && isDeepStrictEqual(own, contexts.slice(0, own.length))
    return isPrefix ? null : "its @context must be the start of the credential's @context"
  }
  if (own !== undefined && !isDeepStrictEqual(own, contexts)) {
    return "its @context must be the credential's @context"
  }
  const required =
    suite === 'Ed25519Signature2020' ? [ED25519_SIGNATURE_2020_V1] : [CREDENTIALS_V2, DATA_INTEGRITY_V2]
  return contexts.some((each) => required.includes(each))
    ? null
    : `@context must include ${required.at(-1)}, which defines its type`
}
