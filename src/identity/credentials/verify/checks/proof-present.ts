import { LIMITS } from '../limits.ts'
import { type Check, fail, pass } from '../result.ts'
import { isObject, type JsonObject } from '../strict-json.ts'

/** The proofs of a credential; null where `proof` is none. */
export function getProofs({ proof }: JsonObject): JsonObject[] | null {
  const proofs = Array.isArray(proof) ? proof : [proof]
  const fits = proofs.length > 0 && proofs.length <= LIMITS.proofs && proofs.every(isObject)
  return fits ? proofs : null
}

export function checkProofPresent(credential: JsonObject): Check {
  const proofs = getProofs(credential)
  if (proofs === null) {
    return fail('proof_present', `proof must be an object, or a list of 1 to ${LIMITS.proofs} objects`)
  }
  return pass('proof_present', proofs.length === 1 ? 'a proof is there' : `${proofs.length} proofs are there`)
}
