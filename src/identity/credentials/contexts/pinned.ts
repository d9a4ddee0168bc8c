export const CREDENTIALS_V1 = 'https://www.w3.org/2018/credentials/v1'
export const CREDENTIALS_V2 = 'https://www.w3.org/ns/credentials/v2'
export const ED25519_SIGNATURE_2020_V1 = 'https://w3id.org/security/suites/ed25519-2020/v1'
export const STATUS_V1 = 'https://www.w3.org/ns/credentials/status/v1'
export const DATA_INTEGRITY_V2 = 'https://w3id.org/security/data-integrity/v2'

/**
 * The context of this project's four kinds. Credentials sign this URL, so it is the same in every
 * deployment. Nobody can own a `.example` domain, so nobody can serve other terms there.
 */
export const AGENT_CREDENTIALS_V1 = 'https://agent-registry.example/contexts/agent-credentials/v1'
/** The path where the service publishes the file. */
export const AGENT_CREDENTIALS_PATH = '/contexts/agent-credentials/v1'
export const AGENT_CREDENTIALS_FILE = new URL('./agent-credentials-v1.jsonld', import.meta.url)

/** A context that is accepted under this URL and with these bytes only. */
export interface PinnedContext {
  readonly url: string
  /** File name, relative to its folder. */
  readonly file: string
  /** Hex SHA-256 of the file. */
  readonly sha256: string
}

/**
 * The contexts of the service. W3C files: Copyright © World Wide Web Consortium, W3C Software and
 * Document License (https://www.w3.org/copyright/software-license-2023/). Ed25519 suite and status
 * lists: Copyright © 2021 and 2024 Digital Bazaar, Inc., BSD 3-Clause.
 */
export const PINNED_CONTEXTS: readonly PinnedContext[] = [
  {
    // W3C VC Data Model 1.1, from the npm package credentials-context 3.2.0. The layout of this
    // file and the next one is not that of W3C, so their hashes are others.
    url: CREDENTIALS_V1,
    file: 'credentials-v1.jsonld',
    sha256: '00d7dd6d3ad8b920e3e550dd3a3d9090bffcac84cdbf943da6924b3e0a5c8bb8',
  },
  {
    // W3C VC Data Model 2.0, from credentials-context 3.2.0. Has the terms of status lists.
    url: CREDENTIALS_V2,
    file: 'credentials-v2.jsonld',
    sha256: '8a9f494a89ecc51db093e90e84713e07e84d6d9204364a9b3c7868b21751236f',
  },
  {
    // W3C Data Integrity EdDSA Cryptosuites, from ed25519-signature-2020-context 1.1.0.
    url: ED25519_SIGNATURE_2020_V1,
    file: 'ed25519-signature-2020-v1.jsonld',
    sha256: 'b9e1ab971fd8bf2c7553e0c4a9438e0b9450afde1ea1ca5b2492368b9f549588',
  },
  {
    // W3C VC Data Integrity 1.0. This is the SHA-256 that the recommendation prints.
    url: DATA_INTEGRITY_V2,
    file: 'data-integrity-v2.jsonld',
    sha256: '67f21e6e33a6c14e5ccfd2fc7865f7474fb71a04af7e94136cb399dfac8ae8f4',
  },
  {
    // W3C Bitstring Status List 1.0, from vc-bitstring-status-list-context 1.1.0. VC 2.0 includes
    // these terms, so only VC 1.1 needs it.
    url: STATUS_V1,
    file: 'bitstring-status-list-v1.jsonld',
    sha256: 'fd08cbf28ddd829ab2f1978c48f43ab07a112c1c90245a0cfac7ba721c65170c',
  },
  {
    url: AGENT_CREDENTIALS_V1,
    file: 'agent-credentials-v1.jsonld',
    sha256: '268a89040bf5beed04ee4264cbbab3c36c066a42ebc9abfbf97e2c9f8ad562b9',
  },
]
