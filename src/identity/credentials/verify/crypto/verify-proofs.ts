import { verifyEd25519 } from '../../../../domain/ed25519.ts'
import type { JsonObject } from '../../../strict-json.ts'
import { decodeSignature } from '../../multibase.ts'
import { type Canonize, describeCanonizeError } from './canonize.ts'
import type { CryptoTask, CryptoVerdict } from './protocol.ts'
import { signedData } from './signed-data.ts'

/** Verifies every proof of a credential. Small-order keys and nonces are refused. */
export async function verifyProofs(task: CryptoTask, canonize: Canonize): Promise<CryptoVerdict> {
  const credential = JSON.parse(task.credential) as JsonObject
  const proofs = [credential.proof].flat() as JsonObject[]
  for (const [i, { suite, key }] of task.proofs.entries()) {
    const proof = proofs[i]!
    let data: Buffer
    try {
      data = await signedData({ credential, proof, suite, canonize })
    } catch (error) {
      return invalid(`the credential cannot be canonicalised: ${describeCanonizeError(error)}`)
    }
    const signature = decodeSignature(proof.proofValue as string)
    if (signature === null || !verifyEd25519(data, signature, key)) {
      const name = proofs.length === 1 ? 'the signature' : `the signature of proof ${i + 1}`
      return invalid(`${name} does not match the credential and the issuer's key`)
    }
  }
  return { valid: true, problem: '' }
}

const invalid = (problem: string): CryptoVerdict => ({ valid: false, problem })
