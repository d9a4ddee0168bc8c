import type { Keypair } from '@solana/web3.js'
import bs58 from 'bs58'
import { createPrivateKey, sign } from 'node:crypto'
import { type Contexts } from './contexts/load.ts'
import { AGENT_CREDENTIALS_V1, CREDENTIALS_V2, ED25519_SIGNATURE_2020_V1 } from './contexts/pinned.ts'
import { VERIFIABLE_CREDENTIAL } from './kinds.ts'
import type { Suite } from './verify/checks/parse-proof.ts'
import { createCanonize } from './verify/crypto/canonize.ts'
import { signedData } from './verify/crypto/signed-data.ts'
import type { JsonObject } from './verify/strict-json.ts'

export interface IssueOptions {
  /** Its public key makes the issuer's DID, did:sol. */
  readonly keypair: Keypair
  /** Full type, for instance SecurityAuditCredential. */
  readonly type: string
  readonly subjectDid: string
  readonly suite: Suite
  /** URI of the credential, as in urn:uuid:…. */
  readonly id: string
  /** ms since the epoch: when it is issued and begins. */
  readonly now: number
  /** ISO 8601 with zone; null is without end. */
  readonly validUntil: string | null
  /** Further members of the subject, terms of the contexts. */
  readonly claims?: JsonObject
  readonly contexts: Contexts
}

/** A credential of VC 2.0, signed. */
export async function issueCredential(options: IssueOptions): Promise<JsonObject> {
  const { keypair, suite, validUntil, contexts } = options
  const issuer = `did:sol:${keypair.publicKey.toBase58()}`
  const issuedAt = new Date(options.now).toISOString().replace(/\.\d+Z$/, 'Z')
  const isSignature2020 = suite === 'Ed25519Signature2020'
  const credential: JsonObject = {
    '@context': [
      CREDENTIALS_V2,
      AGENT_CREDENTIALS_V1,
      ...(isSignature2020 ? [ED25519_SIGNATURE_2020_V1] : []),
    ],
    id: options.id,
    type: [VERIFIABLE_CREDENTIAL, options.type],
    issuer,
    validFrom: issuedAt,
    ...(validUntil === null ? {} : { validUntil }),
    credentialSubject: { id: options.subjectDid, ...options.claims },
  }
  const proof: JsonObject = {
    ...(isSignature2020 ? { type: suite } : { type: 'DataIntegrityProof', cryptosuite: suite }),
    created: issuedAt,
    verificationMethod: `${issuer}#key-1`,
    proofPurpose: 'assertionMethod',
    ...(suite === 'eddsa-jcs-2022' ? { '@context': credential['@context'] as string[] } : {}),
  }
  const data = await signedData({ credential, proof, suite, canonize: createCanonize(contexts) })
  const proofValue = `z${bs58.encode(sign(null, data, privateKey(keypair)))}`
  return { ...credential, proof: { ...proof, proofValue } }
}

function privateKey(keypair: Keypair): ReturnType<typeof createPrivateKey> {
  const jwk = {
    kty: 'OKP',
    crv: 'Ed25519',
    d: Buffer.from(keypair.secretKey.subarray(0, 32)).toString('base64url'),
    x: Buffer.from(keypair.publicKey.toBytes()).toString('base64url'),
  }
  return createPrivateKey({ key: jwk, format: 'jwk' })
}
