interface DataIntegritySigner {
  id: string
  algorithm: string
  sign(options: { data: Uint8Array }): Promise<Uint8Array>
}

declare module '@digitalbazaar/ed25519-multikey' {
  export function from(key: object): Promise<{ signer(): DataIntegritySigner }>
}

declare module '@digitalbazaar/ed25519-signature-2020' {
  export const Ed25519Signature2020: new (options?: { signer?: DataIntegritySigner; date?: string }) => object
}

declare module '@digitalbazaar/data-integrity' {
  export const DataIntegrityProof: new (options: {
    signer?: DataIntegritySigner
    date?: string
    cryptosuite: object
  }) => object
}

declare module '@digitalbazaar/eddsa-rdfc-2022-cryptosuite' {
  export const cryptosuite: object
}

declare module '@digitalbazaar/eddsa-jcs-2022-cryptosuite' {
  export function createSignCryptosuite(): object
  export function createVerifyCryptosuite(): object
}

declare module '@digitalbazaar/vc' {
  interface Options {
    credential: object
    suite: object | object[]
    documentLoader: (url: string) => Promise<object>
    now?: Date
  }
  export function issue(options: Options): Promise<Record<string, unknown>>
  export function verifyCredential(options: Options): Promise<{ verified: boolean; error?: Error }>
}

declare module '@digitalbazaar/vc-bitstring-status-list' {
  interface BitstringStatusList {
    setStatus(index: number, status: boolean): void
  }
  export function createList(options: { length: number }): Promise<BitstringStatusList>
  export function createCredential(options: {
    id: string
    list: BitstringStatusList
    statusPurpose: string
    context?: string[]
  }): Promise<Record<string, unknown>>
}
