export const VERIFIABLE_CREDENTIAL = 'VerifiableCredential'

/** The kinds of credentials that the registry knows. */
export const KNOWN_KINDS = [
  'SecurityAuditCredential',
  'IdentityCredential',
  'CapabilityCredential',
  'ComplianceCredential',
] as const

export type KnownKind = (typeof KNOWN_KINDS)[number]

const BY_SHORT_NAME: ReadonlyMap<string, KnownKind> = new Map(
  KNOWN_KINDS.flatMap((kind) => [
    [kind.toLowerCase(), kind],
    [kind.slice(0, -'Credential'.length).toLowerCase(), kind],
  ]),
)

/** A known kind by its full type or without `Credential`, in any case; null for others. */
export function knownKind(name: string): KnownKind | null {
  return BY_SHORT_NAME.get(name.toLowerCase()) ?? null
}

export function isKnownKind(type: string): type is KnownKind {
  return (KNOWN_KINDS as readonly string[]).includes(type)
}
