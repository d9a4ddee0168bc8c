import { createHash } from 'node:crypto'
import { verifyEd25519 } from '../../../../domain/ed25519.ts'
import { isObject, type JsonObject } from '../strict-json.ts'
import { type Canonize, describeCanonizeError } from './canonize.ts'
import { decodeSignature } from '../../multibase.ts'
import type { CryptoTask, CryptoVerdict } from './protocol.ts'
import { signedData } from './signed-data.ts'

/** Checks every proof of a credential; one that fails makes the whole fail. Keys and nonces of small order are refused. */
export async function verifyProofs(task: CryptoTask, canonize: Canonize): Promise<CryptoVerdict> {
  const credential = JSON.parse(task.credential) as JsonObject
  const { proof } = credential
  const proofs = (Array.isArray(proof) ? proof : [proof]).filter(isObject)
  const contents: string[] = []
  for (const [i, each] of proofs.entries()) {
    const { suite, key } = task.proofs[i] ?? {}
    if (suite === undefined || key === undefined) throw new TypeError('a proof without suite and key')
    let data: Buffer
    try {
      data = await signedData({ credential, proof: each, suite, canonize })
    } catch (error) {
      return {
        valid: false,
        problem: `the credential cannot be canonicalised: ${describeCanonizeError(error)}`,
        contentHash: null,
      }
    }
    const signature = typeof each.proofValue === 'string' ? decodeSignature(each.proofValue) : null
    if (signature === null || !verifyEd25519(data, signature, key)) {
      const which = proofs.length === 1 ? 'the signature' : `the signature of proof ${i + 1}`
      return {
        valid: false,
        problem: `${which} does not match the credential and the issuer's key`,
        contentHash: null,
      }
    }
    contents.push(data.toString('hex'))
  }
  const contentHash = createHash('sha256').update(contents.sort().join()).digest('hex')
  return { valid: true, problem: '', contentHash }
}
