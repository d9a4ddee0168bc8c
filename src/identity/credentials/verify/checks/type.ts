import { quoted } from '../../../../domain/quoted.ts'
import { isKnownKind, VERIFIABLE_CREDENTIAL } from '../../kinds.ts'
import { type Check, fail, pass } from '../result.ts'
import type { JsonObject } from '../strict-json.ts'

const TERM = /^[A-Za-z][A-Za-z0-9]{0,127}$/

/** Every type besides VerifiableCredential, sorted; what is no text is left out. */
export function getTypes(credential: JsonObject): string[] {
  const { type } = credential
  const given = Array.isArray(type) ? type : [type]
  const names = given.filter((each) => typeof each === 'string')
  return names.filter((each) => each !== VERIFIABLE_CREDENTIAL).sort()
}

/** The type that a credential goes by: its known kind, else the first other in order. */
export function mainType(types: readonly string[], hasBase: boolean): string {
  return types.find(isKnownKind) ?? types[0] ?? (hasBase ? VERIFIABLE_CREDENTIAL : '')
}

export function checkType({ type }: JsonObject): Check {
  if (!Array.isArray(type)) return fail('type', 'type must be a list that has VerifiableCredential')
  for (const [i, each] of type.entries()) {
    if (typeof each !== 'string' || !TERM.test(each))
      return fail('type', `type names ${quoted(each)}, which is not a plain term`)
    if (type.indexOf(each) !== i) return fail('type', `type names ${quoted(each)} twice`)
  }
  if (!type.includes(VERIFIABLE_CREDENTIAL)) return fail('type', 'type lacks VerifiableCredential')
  const kinds = (type as string[]).filter(isKnownKind)
  if (kinds.length > 1) return fail('type', `type names more than one kind: ${kinds.join(', ')}`)
  return pass('type', `type is ${(type as string[]).join(', ')}`)
}
