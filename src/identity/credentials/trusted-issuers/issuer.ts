import type { IssuerKey } from '../../../domain/credential-verdict.ts'

/** A trusted issuer. */
export interface TrustedIssuer {
  readonly did: string
  /** The types that it may issue, without VerifiableCredential. Null allows every type. */
  readonly allowedTypes: readonly string[] | null
  readonly keys: readonly IssuerKey[]
  /** ISO 8601. Null: no limit. */
  readonly notBefore: string | null
  readonly notAfter: string | null
  readonly enabled: boolean
}

/** Finds an issuer in the list as it was at one moment. */
export interface TrustRegistry {
  find(did: string): TrustedIssuer | undefined
}

export function trustRegistry(issuers: Iterable<TrustedIssuer>): TrustRegistry {
  const byDid = new Map(Array.from(issuers, (issuer) => [issuer.did, issuer]))
  return { find: (did) => byDid.get(did) }
}
