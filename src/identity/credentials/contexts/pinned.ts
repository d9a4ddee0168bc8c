export const CREDENTIALS_V1 = 'https://www.w3.org/2018/credentials/v1'
export const CREDENTIALS_V2 = 'https://www.w3.org/ns/credentials/v2'
export const ED25519_SIGNATURE_2020_V1 = 'https://w3id.org/security/suites/ed25519-2020/v1'
export const DATA_INTEGRITY_V2 = 'https://w3id.org/security/data-integrity/v2'

/**
 * The context of the four kinds. The name is signed with each credential, so it is the same for every deployment, whatever its
 * BASE_URL; `.example` can belong to nobody, who could then serve other terms under it. The service hands the file out at
 * AGENT_CREDENTIALS_PATH.
 */
export const AGENT_CREDENTIALS_V1 = 'https://agent-registry.example/contexts/agent-credentials/v1'
export const AGENT_CREDENTIALS_PATH = '/contexts/agent-credentials/v1'
export const AGENT_CREDENTIALS_FILE = new URL('./agent-credentials-v1.jsonld', import.meta.url)

/** A context that is taken: under exactly this URL, with exactly these bytes. */
export interface PinnedContext {
  readonly url: string
  /** Name of the file in its folder. */
  readonly file: string
  /** Hex SHA-256 of the file's bytes. */
  readonly sha256: string
}

/** The contexts that come with the service. Where each is from: README.md here. */
export const PINNED_CONTEXTS: readonly PinnedContext[] = [
  {
    url: CREDENTIALS_V1,
    file: 'credentials-v1.jsonld',
    sha256: '00d7dd6d3ad8b920e3e550dd3a3d9090bffcac84cdbf943da6924b3e0a5c8bb8',
  },
  {
    url: CREDENTIALS_V2,
    file: 'credentials-v2.jsonld',
    sha256: '8a9f494a89ecc51db093e90e84713e07e84d6d9204364a9b3c7868b21751236f',
  },
  {
    url: ED25519_SIGNATURE_2020_V1,
    file: 'ed25519-signature-2020-v1.jsonld',
    sha256: 'b9e1ab971fd8bf2c7553e0c4a9438e0b9450afde1ea1ca5b2492368b9f549588',
  },
  {
    url: DATA_INTEGRITY_V2,
    file: 'data-integrity-v2.jsonld',
    sha256: '67f21e6e33a6c14e5ccfd2fc7865f7474fb71a04af7e94136cb399dfac8ae8f4',
  },
  {
    url: AGENT_CREDENTIALS_V1,
    file: 'agent-credentials-v1.jsonld',
    sha256: '268a89040bf5beed04ee4264cbbab3c36c066a42ebc9abfbf97e2c9f8ad562b9',
  },
]
