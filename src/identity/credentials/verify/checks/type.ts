import { quoted } from '../../../../domain/quoted.ts'
import type { JsonObject } from '../../../strict-json.ts'
import { isKnownKind, VERIFIABLE_CREDENTIAL } from '../../kinds.ts'
import { type Check, fail, pass } from '../result.ts'

/** Types are stored with each attached credential, and read with each list of them. */
export const MAX_TYPES = 16
const TERM = /^[A-Za-z][A-Za-z0-9]{0,127}$/

/** All types except VerifiableCredential, sorted. Values that are not strings are ignored. */
export function getTypes({ type }: JsonObject): string[] {
  const names = [type].flat().filter((each) => typeof each === 'string')
  return names.filter((each) => each !== VERIFIABLE_CREDENTIAL).sort()
}

/** The type shown for a credential: its known kind, otherwise the first type. */
export function mainType(credential: JsonObject): string {
  const types = getTypes(credential)
  const hasBaseType = [credential.type].flat().includes(VERIFIABLE_CREDENTIAL)
  return types.find(isKnownKind) ?? types[0] ?? (hasBaseType ? VERIFIABLE_CREDENTIAL : '')
}

export function checkType({ type }: JsonObject): Check {
  if (!Array.isArray(type)) return fail('type', 'type must be a list that includes VerifiableCredential')
  if (type.length > MAX_TYPES) return fail('type', `type includes more than ${MAX_TYPES} types`)
  const names: string[] = []
  for (const name of type) {
    if (typeof name !== 'string' || !TERM.test(name)) {
      return fail('type', `type includes ${quoted(name)}, which is not a plain term`)
    }
    if (names.includes(name)) return fail('type', `type includes ${quoted(name)} twice`)
    names.push(name)
  }
  if (!names.includes(VERIFIABLE_CREDENTIAL)) {
    return fail('type', 'type does not include VerifiableCredential')
  }
  const kinds = names.filter(isKnownKind)
  if (kinds.length > 1) return fail('type', `type includes more than one known kind: ${kinds.join(', ')}`)
  return pass('type', `type is ${names.join(', ')}`)
}
