import { encodeBase58 } from '@agent-registry/solana'
import type { Keypair } from '@solana/web3.js'
import { didKeyId, ownerDid } from '../../domain/did.ts'
import { createLocalSigner } from '../../platform/keys.ts'
import type { JsonObject } from '../json.ts'
import type { Contexts } from './contexts/load.ts'
import { AGENT_CREDENTIALS_V1, CREDENTIALS_V2, ED25519_SIGNATURE_2020_V1 } from './contexts/pinned.ts'
import { VERIFIABLE_CREDENTIAL } from './formats.ts'
import { createCanonize, signedData, type Suite } from './verify/crypto/verify-proofs.ts'

interface IssueOptions {
  /** The key of the issuer, whose DID is did:sol. */
  readonly keypair: Keypair
  /** Full type, for instance SecurityAuditCredential. */
  readonly type: string
  readonly subjectDid: string
  readonly suite: Suite
  /** URI of the credential, for instance urn:uuid:…. */
  readonly id: string
  /** Time of issuance and start of validity, in milliseconds since the epoch. */
  readonly now: number
  /** ISO 8601 with a time zone. Null means no expiry. */
  readonly validUntil: string | null
  /** Additional members of the subject. The contexts must define them. */
  readonly claims?: JsonObject
  readonly contexts: Contexts
}

/** Issues a signed credential of VC 2.0. */
export async function issueCredential(options: IssueOptions): Promise<JsonObject> {
  const { keypair, suite, validUntil, contexts } = options
  const issuer = ownerDid(keypair.publicKey.toBase58())
  const issuedAt = new Date(options.now).toISOString().replace(/\.\d+Z$/, 'Z')
  const isSignature2020 = suite === 'Ed25519Signature2020'
  const urls = [CREDENTIALS_V2, AGENT_CREDENTIALS_V1, ...(isSignature2020 ? [ED25519_SIGNATURE_2020_V1] : [])]
  const credential: JsonObject = {
    '@context': urls,
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
    verificationMethod: didKeyId(issuer),
    proofPurpose: 'assertionMethod',
    ...(suite === 'eddsa-jcs-2022' ? { '@context': urls } : {}),
  }
  const data = await signedData({ credential, proof, suite, canonize: createCanonize(contexts) })
  const proofValue = `z${encodeBase58(await createLocalSigner(keypair).sign(data))}`
  return { ...credential, proof: { ...proof, proofValue } }
}
