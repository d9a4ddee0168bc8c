import { isDeepStrictEqual } from 'node:util'
import type { Validity } from '../../../../domain/credential-verdict.ts'
import { quoted } from '../../../../domain/quoted.ts'
import type { JsonObject } from '../../../json.ts'
import { CREDENTIALS_V2, DATA_INTEGRITY_V2, ED25519_SIGNATURE_2020_V1 } from '../../contexts/pinned.ts'
import { decodeSignature, parseDateTimeStamp } from '../../formats.ts'

/** 64 bytes have at most 89 characters in multibase. Decoding takes quadratic time. */
const MAX_PROOF_VALUE_LENGTH = 100

export type Suite = 'Ed25519Signature2020' | 'eddsa-rdfc-2022' | 'eddsa-jcs-2022'

/** A well-formed proof. Its signature is not verified yet. */
export interface ParsedProof {
  readonly suite: Suite
  readonly verificationMethod: string
  readonly validity: Validity
}

/** Parses all proofs. Returns a text if one is not supported. */
export function parseProofs(proofs: readonly JsonObject[], credential: JsonObject): ParsedProof[] | string {
  const parsed: ParsedProof[] = []
  for (const [i, proof] of proofs.entries()) {
    const each = parseProof(proof, credential['@context'] as string[])
    if (typeof each === 'string') return `${proofName(proofs.length, i)} is not supported: ${each}`
    parsed.push(each)
  }
  return parsed
}

/** The period in which all proofs are valid: the latest start and the earliest end. */
export function commonValidity(proofs: readonly ParsedProof[]): Validity {
  const bounds = (bound: keyof Validity) => proofs.flatMap(({ validity }) => validity[bound] ?? []).sort()
  return { from: bounds('from').at(-1) ?? null, until: bounds('until')[0] ?? null }
}

export function proofName(count: number, i: number): string {
  return count === 1 ? 'the proof' : `proof ${i + 1}`
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
