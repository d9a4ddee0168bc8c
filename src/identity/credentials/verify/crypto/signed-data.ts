import type { JsonObject } from '../../../strict-json.ts'
import type { Suite } from '../checks/parse-proof.ts'
import type { Canonize } from './canonize.ts'
import { jcs, sha256 } from '../../../hash.ts'

/**
 * The 64 bytes that a proof signs: the SHA-256 of the canonical proof options, then of the
 * canonical document without proofs (W3C vc-di-eddsa sections 3.2.4, 3.3.4 and A.1).
 */
export async function signedData(options: {
  credential: JsonObject
  proof: JsonObject
  suite: Suite
  canonize: Canonize
}): Promise<Buffer> {
  const { credential, proof, suite, canonize } = options
  const { proof: _, ...document } = credential
  const { proofValue: __, ...proofOptions } = proof
  const { '@context': proofContext } = proofOptions
  if (suite === 'eddsa-jcs-2022') {
    const signed = proofContext === undefined ? document : { ...document, '@context': proofContext }
    return Buffer.concat([sha256(jcs(proofOptions)), sha256(jcs(signed))])
  }
  const canonicalOptions = await canonize({ ...proofOptions, '@context': document['@context'] })
  return Buffer.concat([sha256(canonicalOptions), sha256(await canonize(document))])
}
