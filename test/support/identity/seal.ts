import bs58 from 'bs58'
import nacl from 'tweetnacl'
import {
  createCanonize,
  signedData,
  type Suite,
} from '../../../src/identity/credentials/verify/crypto/verify-proofs.ts'
import { contexts, CREATED, type Json, type TestIssuer } from './issuer.ts'

const canonize = createCanonize(contexts)

/** Signs any document, including invalid ones. `proof` adds or replaces proof options. */
export async function seal(
  credential: Json,
  suite: Suite,
  issuer: TestIssuer,
  proof: Json = {},
): Promise<Json> {
  const options = {
    ...(suite === 'Ed25519Signature2020'
      ? { type: suite }
      : { type: 'DataIntegrityProof', cryptosuite: suite }),
    created: CREATED,
    verificationMethod: issuer.vm,
    proofPurpose: 'assertionMethod',
    ...proof,
  }
  const data = await signedData({ credential, proof: options, suite, canonize })
  const signature = nacl.sign.detached(data, issuer.keypair.secretKey)
  return { ...credential, proof: { ...options, proofValue: `z${bs58.encode(signature)}` } }
}
