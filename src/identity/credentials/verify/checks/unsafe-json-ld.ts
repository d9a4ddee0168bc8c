import { quoted } from '../../../../domain/quoted.ts'
import { isObject, type JsonObject, type JsonValue, memberPath } from '../../../strict-json.ts'

const KEY = /^[A-Za-z][A-Za-z0-9_-]{0,127}$/
/** Keys of a string with a language or direction. No other JSON-LD keywords are allowed. */
const VALUE_OBJECT_KEYS: ReadonlySet<string> = new Set(['@value', '@language', '@direction'])

/**
 * Finds JSON-LD that could rename or hide signed data: keywords or IRIs as keys, inner contexts,
 * blank node names, and inner objects that repeat the id of the credential or proof.
 */
export function findUnsafeJsonLd(credential: JsonObject): string | null {
  const { '@context': _, proof, ...members } = credential
  const problem = objectProblem(members, '$')
  if (problem !== null) return problem
  for (const each of [proof].flat()) {
    if (!isObject(each)) continue
    // The context of a proof depends on its suite: `parseProof` checks it.
    const { '@context': __, ...proofMembers } = each
    const proofProblem = objectProblem(proofMembers, '$.proof')
    if (proofProblem !== null) return proofProblem
  }
  return null
}

function objectProblem(object: JsonObject, path: string): string | null {
  return findFirst(
    Object.entries(object),
    ([key, value]) =>
      memberProblem(key, value, path) ?? repeatedIdProblem(value, object.id, memberPath(path, key)),
  )
}

/**
 * JSON-LD merges all objects with the same id. An inner object with the credential's id could add
 * signed members, such as an expiry, where no check looks for them.
 */
function repeatedIdProblem(value: JsonValue, id: JsonValue | undefined, path: string): string | null {
  if (id === undefined || typeof value !== 'object' || value === null) return null
  if (isObject(value) && value.id === id) return `${path} repeats the id ${quoted(id)} of an outer object`
  return findFirst(Object.entries(value), ([key, each]) => repeatedIdProblem(each, id, memberPath(path, key)))
}

function memberProblem(key: string, value: JsonValue, path: string): string | null {
  if (key.startsWith('@')) return `${path} has the keyword ${quoted(key)}, which is not allowed there`
  if (!KEY.test(key)) return `${path} has the key ${quoted(key)}, which is not a plain term`
  return valueProblem(value, memberPath(path, key))
}

function valueProblem(value: JsonValue, path: string): string | null {
  if (typeof value === 'string') {
    return value.startsWith('_:') ? `${path} is a blank node name, ${quoted(value)}` : null
  }
  if (Array.isArray(value))
    return findFirst([...value.entries()], ([i, each]) => valueProblem(each, `${path}[${i}]`))
  if (!isObject(value)) return null
  const keys = Object.keys(value)
  if (keys.includes('@value') && keys.every((key) => VALUE_OBJECT_KEYS.has(key))) {
    return keys.some((key) => typeof value[key] === 'object') ? `${path} is not a simple value` : null
  }
  return findFirst(Object.entries(value), ([key, each]) => memberProblem(key, each, path))
}

function findFirst<Item>(items: Item[], problemOf: (item: Item) => string | null): string | null {
  for (const item of items) {
    const problem = problemOf(item)
    if (problem !== null) return problem
  }
  return null
}
