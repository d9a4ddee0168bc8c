import { type Network, networkOf } from '../domain/network.ts'

/** The account that pays for sponsored transactions. */
export interface FeePayerStatus {
  /** Base-58. */
  readonly pubkey: string
  /** Whether it sponsors registrations now. False if its balance cannot be read. */
  enabled(): Promise<boolean>
}

export interface ServiceIdentity {
  readonly name: string
  /** Semantic version. */
  readonly version: string
  /** Registry program, base-58. */
  readonly program: string
  readonly features: Readonly<Record<'did' | 'mcp' | 'a2a' | 'credentials', boolean>>
}

export interface ServiceInfo extends Omit<ServiceIdentity, 'features'> {
  readonly feeSponsorshipEnabled: boolean
  readonly network: Network
  readonly features: {
    readonly did: { readonly enabled: boolean; readonly method: string; readonly spec: string }
    readonly mcp: { readonly enabled: boolean; readonly endpoint: string; readonly spec: string }
    readonly a2a: { readonly enabled: boolean; readonly spec: string }
    readonly credentials: { readonly enabled: boolean; readonly spec: string }
  }
}

export async function serviceInfo(
  { features, ...identity }: ServiceIdentity,
  { genesisHash, feePayer }: { genesisHash: string; feePayer: FeePayerStatus | null },
): Promise<ServiceInfo> {
  return {
    ...identity,
    feeSponsorshipEnabled: (await feePayer?.enabled()) ?? false,
    network: networkOf(genesisHash),
    features: {
      did: { enabled: features.did, method: 'did:sol', spec: 'W3C DID Core 1.0' },
      mcp: { enabled: features.mcp, endpoint: '/mcp/sse', spec: 'MCP 2025-11-25' },
      a2a: { enabled: features.a2a, spec: 'A2A Agent Card 1.0' },
      credentials: { enabled: features.credentials, spec: 'W3C Verifiable Credentials 2.0' },
    },
  }
}
