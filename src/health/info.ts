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
}

const FEATURES = {
  did: { enabled: true, method: 'did:sol', spec: 'W3C DID Core 1.0' },
  mcp: { enabled: true, endpoint: '/mcp/sse', spec: 'MCP 2025-11-25' },
  a2a: { enabled: true, spec: 'A2A Agent Card 1.0' },
  credentials: { enabled: true, spec: 'W3C Verifiable Credentials 2.0' },
}

export interface ServiceInfo extends ServiceIdentity {
  readonly feeSponsorshipEnabled: boolean
  readonly network: Network
  readonly features: typeof FEATURES
}

export async function serviceInfo(
  identity: ServiceIdentity,
  { genesisHash, feePayer }: { genesisHash: string; feePayer: FeePayerStatus | null },
): Promise<ServiceInfo> {
  return {
    ...identity,
    feeSponsorshipEnabled: (await feePayer?.enabled()) ?? false,
    network: networkOf(genesisHash),
    features: FEATURES,
  }
}
