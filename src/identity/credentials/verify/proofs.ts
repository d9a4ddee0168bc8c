import { isSmallOrderKey } from '../../../domain/ed25519.ts'
import { quoted } from '../../../domain/quoted.ts'
import type { TrustedIssuer } from '../trusted-issuers/issuer.ts'
import { type ParsedProof, parseProof } from './checks/parse-proof.ts'
import { timeProblem } from './checks/temporal.ts'
import type { JsonObject } from './strict-json.ts'
import { findKey } from './checks/trust.ts'
import type { Validity, IssuerKey } from '../../../domain/credential-verdict.ts'

/** Reads every proof; a text says what is wrong with the first that is not taken. */
export function parseProofs(proofs: readonly JsonObject[], credential: JsonObject): ParsedProof[] | string {
  const shaped: ParsedProof[] = []
  for (const [i, proof] of proofs.entries()) {
    const each = parseProof(proof, credential)
    if (typeof each === 'string') return `${proofName(proofs.length, i)} is not taken: ${each}`
    shaped.push(each)
  }
  return shaped
}

/** The issuer's key for every proof; a text says which proof names none. */
export function findProofKeys(
  proofs: readonly ParsedProof[],
  issuer: TrustedIssuer | undefined,
): IssuerKey[] | string {
  const keys: IssuerKey[] = []
  for (const [i, { verificationMethod }] of proofs.entries()) {
    const key = findKey(issuer, verificationMethod)
    if (key === undefined) {
      const known = issuer?.keys.map((each) => each.verificationMethod).join(', ')
      return `${proofName(proofs.length, i)} names ${quoted(verificationMethod)}, which is no key of the issuer: ${known}`
    }
    if (isSmallOrderKey(key.key))
      return `${proofName(proofs.length, i)} names a key of small order, by which anyone can sign`
    keys.push(key)
  }
  return keys
}

/** When all proofs hold: the latest begin, the earliest end. */
export function proofValidity(proofs: readonly ParsedProof[]): Validity {
  const bounds = (bound: keyof Validity) => proofs.flatMap(({ validity }) => validity[bound] ?? []).sort()
  return { from: bounds('from').at(-1) ?? null, until: bounds('until')[0] ?? null }
}

export function proofTimeProblem(validity: Validity, now: number): string | null {
  return timeProblem(validity, now, 'the proof')
}

function proofName(count: number, i: number): string {
  return count === 1 ? 'the proof' : `proof ${i + 1}`
}
