import { isObject, type JsonObject } from '../../../strict-json.ts'
import { type Check, fail, pass } from '../result.ts'

export const MAX_PROOFS = 4

/** The proofs of a credential. Null if `proof` is missing or invalid. */
export function getProofs({ proof }: JsonObject): JsonObject[] | null {
  const proofs = Array.isArray(proof) ? proof : [proof]
  const isValid = proofs.length > 0 && proofs.length <= MAX_PROOFS && proofs.every(isObject)
  return isValid ? proofs : null
}

export function checkProofPresent(credential: JsonObject): Check {
  const proofs = getProofs(credential)
  if (proofs === null) {
    return fail('proof_present', `proof must be an object, or a list of 1 to ${MAX_PROOFS} objects`)
  }
  return pass(
    'proof_present',
    proofs.length === 1 ? 'a proof is present' : `${proofs.length} proofs are present`,
  )
}
