import { isDeepStrictEqual } from 'node:util'
import { quoted } from '../../../../domain/quoted.ts'
import { CREDENTIALS_V2, DATA_INTEGRITY_V2, ED25519_SIGNATURE_2020_V1 } from '../../contexts/pinned.ts'
import { parseDateTimeStamp } from '../../dates.ts'
import { LIMITS } from '../limits.ts'
import type { JsonObject } from '../strict-json.ts'
import { decodeSignature } from '../../multibase.ts'
import type { Validity } from '../../../../domain/credential-verdict.ts'

export type Suite = 'Ed25519Signature2020' | 'eddsa-rdfc-2022' | 'eddsa-jcs-2022'

/** A proof whose form is right; its signature is still to be checked. */
export interface ParsedProof {
  readonly suite: Suite
  readonly verificationMethod: string
  readonly validity: Validity
}

/** Reads a proof; a text says what is wrong with it. Sources: W3C vc-di-eddsa, VC Data Integrity 1.0. */
export function parseProof(proof: JsonObject, credential: JsonObject): ParsedProof | string {
  const suite = suiteOf(proof)
  if (suite === null)
    return `its type ${quoted(proof.cryptosuite ?? proof.type)} is none of Ed25519Signature2020, DataIntegrityProof with eddsa-rdfc-2022 or eddsa-jcs-2022`
  const { verificationMethod, created, expires } = proof
  if (typeof verificationMethod !== 'string') return 'its verificationMethod must be a URL'
  const problem = memberProblem(proof) ?? contextProblem(proof, suite, credential['@context'] as string[])
  if (problem !== null) return problem
  const from = created === undefined ? null : parseDateTimeStamp(created)
  const until = expires === undefined ? null : parseDateTimeStamp(expires)
  if (from === null && (created !== undefined || suite === 'Ed25519Signature2020'))
    return 'its created must be a date and time with zone'
  if (until === null && expires !== undefined) return 'its expires must be a date and time with zone'
  if (from !== null && until !== null && from > until) return 'it expires before it was created'
  const iso = (time: number | null) => (time === null ? null : new Date(time).toISOString())
  return { suite, verificationMethod, validity: { from: iso(from), until: iso(until) } }
}

function suiteOf({ type, cryptosuite }: JsonObject): Suite | null {
  if (type === 'Ed25519Signature2020') return type
  const isKnown = cryptosuite === 'eddsa-rdfc-2022' || cryptosuite === 'eddsa-jcs-2022'
  return type === 'DataIntegrityProof' && isKnown ? cryptosuite : null
}

function memberProblem({ proofPurpose, proofValue, ...proof }: JsonObject): string | null {
  if (proofPurpose !== 'assertionMethod')
    return `its proofPurpose must be assertionMethod; it is ${quoted(proofPurpose)}`
  if (Object.hasOwn(proof, 'previousProof'))
    return 'it is part of a proof chain (previousProof), which is not taken'
  // Other suites leave them out of what is signed.
  if (Object.hasOwn(proof, 'jws') || Object.hasOwn(proof, 'signatureValue'))
    return 'it has a signature beside proofValue'
  if (
    typeof proofValue !== 'string' ||
    proofValue.length > LIMITS.proofValueLength ||
    decodeSignature(proofValue) === null
  ) {
    return 'its proofValue must be a signature of 64 bytes in multibase base-58 (z…)'
  }
  return null
}

function contextProblem(proof: JsonObject, suite: Suite, contexts: string[]): string | null {
  const { '@context': own } = proof
  if (suite === 'eddsa-jcs-2022') {
    if (own === undefined) return null
    const isPrefix =
      Array.isArray(own) && isDeepStrictEqual(own, contexts.slice(0, own.length)) && own.length > 0
    return isPrefix ? null : "its @context is not the beginning of the credential's"
  }
  if (own !== undefined && !isDeepStrictEqual(own, contexts)) return "its @context is not the credential's"
  const defining =
    suite === 'Ed25519Signature2020' ? [ED25519_SIGNATURE_2020_V1] : [CREDENTIALS_V2, DATA_INTEGRITY_V2]
  return contexts.some((each) => defining.includes(each))
    ? null
    : `@context lacks ${defining.at(-1)}, which defines its type`
}
