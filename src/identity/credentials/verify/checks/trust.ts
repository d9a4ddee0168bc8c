import { quoted } from '../../../../domain/quoted.ts'
import { VERIFIABLE_CREDENTIAL } from '../../kinds.ts'
import type { TrustedIssuer, TrustRegistry } from '../../trusted-issuers/issuer.ts'
import { isObject, type JsonObject } from '../strict-json.ts'
import type { IssuerKey } from '../../../../domain/credential-verdict.ts'

/** The issuer's id; empty where there is none. */
export function getIssuer({ issuer }: JsonObject): string {
  const id = isObject(issuer) ? issuer.id : issuer
  return typeof id === 'string' ? id : ''
}

/** Why an issuer is not trusted with a credential of these types at `now` (ms); null where it is. */
export function trustProblem(
  { issuer, types }: { issuer: string; types: readonly string[] },
  trust: TrustRegistry,
  now: number,
): string | null {
  const found = trust.find(issuer)
  if (found === undefined) return `issuer ${quoted(issuer)} is not in the trusted issuer registry`
  const { enabled, notBefore, notAfter, allowedTypes } = found
  if (!enabled) return `issuer ${issuer} is disabled in the trusted issuer registry`
  if (notBefore !== null && Date.parse(notBefore) > now)
    return `issuer ${issuer} is trusted only from ${notBefore}`
  if (notAfter !== null && Date.parse(notAfter) < now) return `issuer ${issuer} was trusted until ${notAfter}`
  if (allowedTypes === null) return null
  const wrong = (types.length === 0 ? [VERIFIABLE_CREDENTIAL] : types).find(
    (type) => !allowedTypes.includes(type),
  )
  return wrong === undefined ? null : `issuer ${issuer} is not trusted with the type ${quoted(wrong)}`
}

/** The issuer's key of that name, undefined where it has none. */
export function findKey(
  issuer: TrustedIssuer | undefined,
  verificationMethod: string,
): IssuerKey | undefined {
  return issuer?.keys.find((key) => key.verificationMethod === verificationMethod)
}

/** Whether the issuer still has every one of these keys, under the same name. */
export function hasKeys(issuer: TrustedIssuer | undefined, keys: readonly IssuerKey[]): boolean {
  return keys.every(({ verificationMethod, key }) => findKey(issuer, verificationMethod)?.key === key)
}
