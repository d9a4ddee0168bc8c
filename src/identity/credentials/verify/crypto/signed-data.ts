import { jcs, sha256 } from './jcs.ts'
import type { Suite } from '../checks/parse-proof.ts'
import type { JsonObject } from '../strict-json.ts'
import type { Canonize } from './canonize.ts'

/**
 * The 64 bytes that a proof signs: SHA-256 of the canonical proof options, then SHA-256 of the canonical document without proofs
 * (W3C vc-di-eddsa sections 3.2.4, 3.3.4 and A.1).
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
  const contexts = document['@context'] as string[]
  if (suite === 'eddsa-jcs-2022') {
    const signed =
      '@context' in proofOptions ? { ...document, '@context': proofOptions['@context'] } : document
    return hashData(jcs(proofOptions), jcs(signed))
  }
  return hashData(await canonize({ ...proofOptions, '@context': contexts }), await canonize(document))
}

function hashData(proofOptions: string, document: string): Buffer {
  return Buffer.concat([sha256(proofOptions), sha256(document)])
}
