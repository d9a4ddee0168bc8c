import { DataIntegrityProof } from '@digitalbazaar/data-integrity'
import * as Ed25519Multikey from '@digitalbazaar/ed25519-multikey'
import { Ed25519Signature2020 } from '@digitalbazaar/ed25519-signature-2020'
import { createSignCryptosuite } from '@digitalbazaar/eddsa-jcs-2022-cryptosuite'
import { cryptosuite as rdfc } from '@digitalbazaar/eddsa-rdfc-2022-cryptosuite'
import * as vc from '@digitalbazaar/vc'
import { Keypair } from '@solana/web3.js'
import bs58 from 'bs58'
import { createHash } from 'node:crypto'
import { pubkey } from '@agent-registry/solana'
import { loadContexts } from '../../../src/identity/credentials/contexts/load.ts'
import {
  AGENT_CREDENTIALS_V1,
  CREDENTIALS_V1,
  CREDENTIALS_V2,
  DATA_INTEGRITY_V2,
  ED25519_SIGNATURE_2020_V1,
} from '../../../src/identity/credentials/contexts/pinned.ts'
import type { TrustedIssuer } from '../../../src/identity/credentials/trusted-issuers.ts'
import type { Suite } from '../../../src/identity/credentials/verify/crypto/verify-proofs.ts'
export const NOW = Date.parse('2026-11-21T12:00:00Z')
export const CREATED = '2026-11-21T11:00:00Z'
export const AGENT_DID = 'did:sol:9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM'
export const SUITES = ['Ed25519Signature2020', 'eddsa-rdfc-2022', 'eddsa-jcs-2022'] as const
export const MODELS = ['1.1', '2.0'] as const
export type Model = (typeof MODELS)[number]
/** A credential that tests change freely. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any

export const contexts = loadContexts(null)

export interface TestIssuer {
  readonly did: string
  readonly vm: string
  readonly keypair: Keypair
  readonly trusted: TrustedIssuer
  /** The documents of the issuer's DID and key, for document loaders. */
  readonly documents: ReadonlyMap<string, object>
  sign(credential: object, suite: Suite, loader?: Loader): Promise<Json>
}

export type Loader = (url: string) => Promise<object>

/** A document loader for the pinned contexts and these documents. Refuses all other URLs. */
export function loaderOf(...documents: ReadonlyMap<string, unknown>[]): Loader {
  return (url) => {
    const found = [contexts, ...documents].find((each) => each.has(url))
    if (found === undefined) return Promise.reject(new Error(`no document for ${url}`))
    return Promise.resolve({ contextUrl: null, documentUrl: url, document: structuredClone(found.get(url)) })
  }
}

export function createTestIssuer(name: string): TestIssuer {
  const keypair = Keypair.fromSeed(createHash('sha256').update(name).digest())
  const key = keypair.publicKey.toBase58()
  const did = `did:sol:${key}`
  const vm = `${did}#key-1`
  const publicKeyMultibase = multibase([0xed, 0x01], keypair.publicKey.toBytes())
  const method = { id: vm, type: 'Ed25519VerificationKey2020', controller: did, publicKeyMultibase }
  const documents = new Map<string, object>([
    [vm, { '@context': ED25519_SIGNATURE_2020_V1, ...method }],
    [
      did,
      {
        '@context': ['https://www.w3.org/ns/did/v1', ED25519_SIGNATURE_2020_V1],
        id: did,
        assertionMethod: [method],
      },
    ],
  ])
  const trusted = {
    did,
    allowedTypes: null,
    keys: [{ verificationMethod: vm, key: pubkey(key) }],
    notBefore: null,
    notAfter: null,
    enabled: true,
  }
  const multikey = {
    '@context': 'https://w3id.org/security/multikey/v1',
    type: 'Multikey',
    id: vm,
    controller: did,
    publicKeyMultibase,
    secretKeyMultibase: multibase([0x80, 0x26], keypair.secretKey),
  }
  return {
    did,
    vm,
    keypair,
    trusted,
    documents,
    sign: async (credential, suite, loader = loaderOf(documents)) => {
      const signer = (await Ed25519Multikey.from(multikey)).signer()
      return vc.issue({
        credential: structuredClone(credential),
        suite: signingSuite(suite, signer),
        documentLoader: loader,
        now: new Date(NOW),
      })
    },
  }
}

function signingSuite(suite: Suite, signer: DataIntegritySigner): object {
  if (suite === 'Ed25519Signature2020') return new Ed25519Signature2020({ signer, date: CREATED })
  const cryptosuite = suite === 'eddsa-jcs-2022' ? createSignCryptosuite() : rdfc
  return new DataIntegrityProof({ signer, date: CREATED, cryptosuite })
}

function multibase(prefix: number[], bytes: Uint8Array): string {
  return `z${bs58.encode(Uint8Array.from([...prefix, ...bytes]))}`
}

/** An unsigned credential about AGENT_DID that is valid at NOW. */
export function unsigned(model: Model, suite: Suite, issuer: string, type = 'SecurityAuditCredential'): Json {
  const suiteContext = suite === 'Ed25519Signature2020' ? ED25519_SIGNATURE_2020_V1 : DATA_INTEGRITY_V2
  const needsSuiteContext = suite === 'Ed25519Signature2020' || model === '1.1'
  return {
    '@context': [
      model === '1.1' ? CREDENTIALS_V1 : CREDENTIALS_V2,
      AGENT_CREDENTIALS_V1,
      ...(needsSuiteContext ? [suiteContext] : []),
    ],
    id: 'urn:uuid:5f8b1f0e-3d1d-4c1e-9a55-0d3c2a0e7a11',
    type: ['VerifiableCredential', type],
    issuer,
    ...(model === '1.1'
      ? { issuanceDate: '2026-11-01T00:00:00Z', expirationDate: '2027-11-01T00:00:00Z' }
      : { validFrom: '2026-11-01T00:00:00Z', validUntil: '2027-11-01T00:00:00Z' }),
    credentialSubject: {
      id: AGENT_DID,
      auditor: 'Ossian Labs',
      auditResult: 'passed',
      auditedAt: '2026-10-30T09:00:00Z',
      auditReport: 'https://audits.example/reports/17',
    },
  }
}
