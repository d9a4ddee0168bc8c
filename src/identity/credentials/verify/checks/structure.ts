import { quoted } from '../../../../domain/quoted.ts'
import { isObject, type JsonObject, type JsonValue, memberPath } from '../../../json.ts'
import { CREDENTIALS_V1, CREDENTIALS_V2 } from '../../contexts/pinned.ts'
import { type Check, fail, pass } from '../result.ts'
import { isKnownKind, parseDateTimeStamp, VERIFIABLE_CREDENTIAL } from '../../formats.ts'
import type { Validity } from '../../../../domain/credential-verdict.ts'

export const MAX_CONTEXTS = 6

type DataModel = '1.1' | '2.0'

export function getDataModel(credential: JsonObject): DataModel | null {
  const { '@context': contexts } = credential
  const base = Array.isArray(contexts) ? contexts[0] : undefined
  if (base === CREDENTIALS_V1) return '1.1'
  return base === CREDENTIALS_V2 ? '2.0' : null
}

/** All contexts are pinned, starting with VC 1.1 or 2.0, and nothing can change or hide terms. */
export function checkContext(credential: JsonObject, known: ReadonlySet<string>): Check {
  const problem = contextProblem(credential['@context'], known) ?? findUnsafeJsonLd(credential)
  if (problem !== null) return fail('context', problem)
  return pass('context', `VC ${getDataModel(credential)}; all contexts are known and pinned`)
}

function contextProblem(contexts: unknown, known: ReadonlySet<string>): string | null {
  if (!Array.isArray(contexts) || contexts.length === 0) return '@context must be a list of URLs'
  if (contexts.length > MAX_CONTEXTS) {
    return `@context has ${contexts.length} entries; the limit is ${MAX_CONTEXTS}`
  }
  for (const [i, context] of contexts.entries()) {
    if (typeof context !== 'string') {
      return `@context[${i}] is not a URL; contexts inside a credential are not supported`
    }
    if (contexts.indexOf(context) !== i) return `@context has ${quoted(context)} twice`
    if (!known.has(context)) return `@context has ${quoted(context)}, which is not a known context`
    const isBase = context === CREDENTIALS_V1 || context === CREDENTIALS_V2
    if (isBase !== (i === 0)) {
      return `@context must start with ${CREDENTIALS_V1} or ${CREDENTIALS_V2} and contain only one of them`
    }
  }
  return null
}

const KEY = /^[A-Za-z][A-Za-z0-9_-]{0,127}$/
/** Keys of a string with a language or direction. No other JSON-LD keywords are allowed. */
const VALUE_OBJECT_KEYS: ReadonlySet<string> = new Set(['@value', '@language', '@direction'])

/**
 * Finds JSON-LD that could rename or hide signed data: keywords or IRIs as keys, inner contexts,
 * blank node names, and inner objects that repeat the id of the credential or proof.
 */
function findUnsafeJsonLd(credential: JsonObject): string | null {
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

/** The credential has exactly one subject, and it is the agent. */
export function checkSubject({ credentialSubject }: JsonObject, agentDid: string): Check {
  if (!isObject(credentialSubject)) {
    const actual = Array.isArray(credentialSubject) ? 'a list' : 'missing or not an object'
    return fail('subject', `credentialSubject must be one object with the agent's DID as id; it is ${actual}`)
  }
  const { id } = credentialSubject
  if (id !== agentDid) {
    const actual = id === undefined ? 'missing' : quoted(id)
    return fail('subject', `credentialSubject.id must be ${agentDid}; it is ${actual}`)
  }
  return pass('subject', `credentialSubject.id is ${agentDid}`)
}

/** Clocks may differ by this much. */
const CLOCK_SKEW_MS = 300_000

/** The validity period of a credential. `problem` says why its dates are invalid. */
interface CredentialDates {
  readonly validity: Validity
  readonly problem: string | null
}

/** Applies every date of VC 1.1 and 2.0: the contexts of both define all of them. */
export function readDates(credential: JsonObject, model: DataModel | null): CredentialDates {
  const from: number[] = []
  const until: number[] = []
  for (const [term, times] of [
    ['issuanceDate', from],
    ['validFrom', from],
    ['expirationDate', until],
    ['validUntil', until],
  ] as const) {
    if (!Object.hasOwn(credential, term)) continue
    const time = parseDateTimeStamp(credential[term])
    if (time === null) {
      const example = '2026-01-31T00:00:00Z'
      return invalid(
        `${term} must be a date and time with a time zone, such as ${example}; it is ${quoted(credential[term])}`,
      )
    }
    times.push(time)
  }
  const validity = {
    from: from.length === 0 ? null : new Date(Math.max(...from)).toISOString(),
    until: until.length === 0 ? null : new Date(Math.min(...until)).toISOString(),
  }
  if (model === '1.1' && !Object.hasOwn(credential, 'issuanceDate')) {
    return invalid('issuanceDate is missing; VC 1.1 requires it')
  }
  if (Math.max(...from) > Math.min(...until)) {
    return invalid(`the credential ends (${validity.until}) before it starts (${validity.from})`)
  }
  return { validity, problem: null }
}

const invalid = (problem: string): CredentialDates => ({ validity: { from: null, until: null }, problem })

export function checkTemporal({ validity, problem }: CredentialDates, now: number): Check {
  const reason = problem ?? timeProblem(validity, now, 'the credential')
  if (reason !== null) return fail('temporal', reason)
  const { from, until } = validity
  const start = from === null ? '' : ` from ${from}`
  const end = until === null ? ' without expiry' : ` until ${until}`
  return pass('temporal', `valid${start}${end}`)
}

/** Why `subject` is not valid at `now`, in milliseconds. Null if it is valid. */
export function timeProblem({ from, until }: Validity, now: number, subject: string): string | null {
  if (from !== null && Date.parse(from) > now + CLOCK_SKEW_MS) return `${subject} is not valid before ${from}`
  if (until !== null && Date.parse(until) < now - CLOCK_SKEW_MS) return `${subject} expired at ${until}`
  return null
}
