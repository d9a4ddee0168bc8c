import { quoted } from '../../../../domain/quoted.ts'
import { memberPath, isObject, type JsonObject, type JsonValue } from '../strict-json.ts'

const KEY = /^[A-Za-z][A-Za-z0-9_-]{0,127}$/
/** A value with a language or a direction, the one place where keys of JSON-LD may stand. */
const VALUE_OBJECT_KEYS: ReadonlySet<string> = new Set(['@value', '@language', '@direction'])

/**
 * What of JSON-LD is not taken, because signed data could then be told under other names or hidden: keywords as keys, IRIs as keys,
 * contexts below the top, blank node names, ids that come again further in. Returns the first problem found.
 */
export function findUnsafeJsonLd(credential: JsonObject): string | null {
  for (const [key, value] of Object.entries(credential)) {
    if (key === '@context') continue
    const problem =
      key === 'proof'
        ? proofsProblem(value)
        : (memberProblem(key, value, '$') ?? ownIdProblem(value, credential.id, memberPath('$', key)))
    if (problem !== null) return problem
  }
  return null
}

/**
 * JSON-LD takes values of one id for one thing: members of the credential, such as its end, would be signed as well in an inner value of
 * its id, where nobody looks for them.
 */
function ownIdProblem(value: JsonValue, id: JsonValue | undefined, place: string): string | null {
  if (id === undefined || typeof value !== 'object') return null
  if (!Array.isArray(value) && value.id === id)
    return `${place} has the id of what it stands in, ${quoted(id)}`
  return first(Object.entries(value), ([key, each]) => ownIdProblem(each, id, memberPath(place, key)))
}

/** Proofs may repeat the context; how is a matter of their suite. */
function proofsProblem(value: JsonValue): string | null {
  const proofs = Array.isArray(value) ? value : [value]
  for (const proof of proofs) {
    if (!isObject(proof)) continue
    const { '@context': _, ...members } = proof
    const problem =
      valueProblem(members, '$.proof') ??
      first(Object.entries(members), ([key, each]) =>
        ownIdProblem(each, proof.id, memberPath('$.proof', key)),
      )
    if (problem !== null) return problem
  }
  return null
}

function valueProblem(value: JsonValue, place: string): string | null {
  if (typeof value === 'string') {
    return value.startsWith('_:') ? `${place} is a blank node name, ${quoted(value)}` : null
  }
  if (Array.isArray(value)) return first(value, (each, i) => valueProblem(each, `${place}[${i}]`))
  if (!isObject(value)) return null
  const keys = Object.keys(value)
  if (keys.includes('@value') && keys.every((key) => VALUE_OBJECT_KEYS.has(key))) {
    return keys.every((key) => typeof value[key] !== 'object') ? null : `${place} is not a simple value`
  }
  return first(Object.entries(value), ([key, each]) => memberProblem(key, each, place))
}

function memberProblem(key: string, value: JsonValue, place: string): string | null {
  if (key.startsWith('@')) return `${place} has the keyword ${quoted(key)}, which is not taken there`
  if (!KEY.test(key)) return `${place} has the key ${quoted(key)}, which is not a plain term`
  return valueProblem(value, memberPath(place, key))
}

function first<Item>(items: Item[], problemOf: (item: Item, i: number) => string | null): string | null {
  for (const [i, item] of items.entries()) {
    const problem = problemOf(item, i)
    if (problem !== null) return problem
  }
  return null
}
