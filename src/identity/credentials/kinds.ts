export const VERIFIABLE_CREDENTIAL = 'VerifiableCredential'

/** The kinds of credentials that the registry knows. */
export const KNOWN_KINDS: readonly string[] = [
  'SecurityAuditCredential',
  'IdentityCredential',
  'CapabilityCredential',
  'ComplianceCredential',
]

/** Finds a known kind by its type, with or without `Credential`, in any case. */
export function knownKind(name: string): string | null {
  const type = name.toLowerCase().replace(/(credential)?$/, 'credential')
  return KNOWN_KINDS.find((kind) => kind.toLowerCase() === type) ?? null
}

export function isKnownKind(type: string): boolean {
  return KNOWN_KINDS.includes(type)
}
