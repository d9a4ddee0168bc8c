import type { IssuerKey } from '../../../../domain/credential-verdict.ts'
import { isSmallOrderKey } from '../../../../domain/ed25519.ts'
import { quoted } from '../../../../domain/quoted.ts'
import { isObject, type JsonObject } from '../../../json.ts'
import { VERIFIABLE_CREDENTIAL } from '../../formats.ts'
import type { TrustedIssuer, TrustRegistry } from '../../trusted-issuers.ts'

/** Characters. No trusted issuer has a longer id. */
export const MAX_ISSUER_LENGTH = 1_024

/** The issuer's id. Empty if there is none, or if it is too long. */
export function getIssuer({ issuer }: JsonObject): string {
  const id = isObject(issuer) ? issuer.id : issuer
  return typeof id === 'string' && id.length <= MAX_ISSUER_LENGTH ? id : ''
}

/**
 * Why an issuer is not trusted to issue these types at `now`, in milliseconds. Null if it is.
 * `types` is null if it may issue the document whatever its types are.
 */
export function trustProblem(
  { issuer, types }: { issuer: string; types: readonly string[] | null },
  trust: TrustRegistry,
  now: number,
): string | null {
  const found = trust.find(issuer)
  if (found === undefined) return `issuer ${quoted(issuer)} is not in the trusted issuer registry`
  const { enabled, notBefore, notAfter, allowedTypes } = found
  if (!enabled) return `issuer ${issuer} is disabled in the trusted issuer registry`
  if (notBefore !== null && Date.parse(notBefore) > now)
    return `issuer ${issuer} is not trusted before ${notBefore}`
  if (notAfter !== null && Date.parse(notAfter) < now) return `issuer ${issuer} was trusted until ${notAfter}`
  if (allowedTypes === null || types === null) return null
  const claimed = types.length === 0 ? [VERIFIABLE_CREDENTIAL] : types
  const forbidden = claimed.find((type) => !allowedTypes.includes(type))
  return forbidden === undefined ? null : `issuer ${issuer} is not trusted for the type ${quoted(forbidden)}`
}

/** Returns the issuer's key for every proof, or a text if a proof has none. */
export function findProofKeys(
  proofs: readonly { readonly verificationMethod: string }[],
  issuer: TrustedIssuer | undefined,
): IssuerKey[] | string {
  const keys: IssuerKey[] = []
  for (const [i, { verificationMethod }] of proofs.entries()) {
    const key = findKey(issuer, verificationMethod)
    if (key === undefined) {
      const known = issuer?.keys.map((each) => each.verificationMethod).join(', ')
      return `${proofName(proofs.length, i)} names ${quoted(verificationMethod)}, which is not a key of the issuer (${known})`
    }
    if (isSmallOrderKey(key.key)) {
      return `${proofName(proofs.length, i)} names a small-order key, with which anyone can sign`
    }
    keys.push(key)
  }
  return keys
}

export function proofName(count: number, i: number): string {
  return count === 1 ? 'the proof' : `proof ${i + 1}`
}

/** Whether the issuer still has all these keys under the same names. */
export function hasKeys(issuer: TrustedIssuer | undefined, keys: readonly IssuerKey[]): boolean {
  return keys.every(({ verificationMethod, key }) => findKey(issuer, verificationMethod)?.key === key)
}

function findKey(issuer: TrustedIssuer | undefined, verificationMethod: string): IssuerKey | undefined {
  return issuer?.keys.find((key) => key.verificationMethod === verificationMethod)
}
