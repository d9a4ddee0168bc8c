import type { IssuerKey } from '../../../domain/credential-verdict.ts'

/** An issuer in the registry of trusted issuers. */
export interface TrustedIssuer {
  readonly did: string
  /** Types (without VerifiableCredential) that it may issue; null is every type. */
  readonly allowedTypes: readonly string[] | null
  readonly keys: readonly IssuerKey[]
  /** ISO 8601; null is without bound. */
  readonly notBefore: string | null
  readonly notAfter: string | null
  readonly enabled: boolean
}

/** Looks an issuer up as the registry stood at one moment. */
export interface TrustRegistry {
  find(did: string): TrustedIssuer | undefined
}

export function trustRegistry(issuers: Iterable<TrustedIssuer>): TrustRegistry {
  const byDid = new Map(Array.from(issuers, (issuer) => [issuer.did, issuer]))
  return { find: (did) => byDid.get(did) }
}
