import { readFileSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { OperatorError } from '../../../platform/process/operator-error.ts'
import { isObject, sha256Hex } from '../../json.ts'
import { PINNED_CONTEXTS, type PinnedContext } from './pinned.ts'

/** The JSON-LD contexts that credentials may use, by URL. Nothing is ever fetched. */
export type Contexts = ReadonlyMap<string, unknown>

const FOLDER = fileURLToPath(new URL('.', import.meta.url))
const MAX_FILE_BYTES = 262_144

/**
 * Reads the service's contexts and those of CREDENTIAL_CONTEXTS_DIR, whose `index.json` is an array
 * of `{ url, file, sha256 }`. Throws OperatorError with all problems.
 */
export function loadContexts(operatorFolder: string | null): Contexts {
  const problems: string[] = []
  const contexts = new Map<string, unknown>()
  const read = (folder: string, file: string, sha256?: string): unknown => {
    try {
      return readJson(join(folder, file), sha256)
    } catch (error) {
      problems.push(`${file} ${describe(error)}`)
      return undefined
    }
  }
  const add = (folder: string, { url, file, sha256 }: PinnedContext): void => {
    if (contexts.has(url)) problems.push(`${url} is defined twice`)
    const document = read(folder, file, sha256)
    if (document === undefined) return
    problems.push(...documentProblems(document).map((problem) => `${file}: ${problem}`))
    contexts.set(url, document)
  }
  for (const pinned of PINNED_CONTEXTS) add(FOLDER, pinned)
  const index = operatorFolder === null ? [] : read(operatorFolder, 'index.json')
  if (index !== undefined && !Array.isArray(index))
    problems.push('index.json must be an array of { url, file, sha256 }')
  for (const [i, entry] of (Array.isArray(index) ? index : []).entries()) {
    const problem = entryProblem(entry)
    if (problem === null) add(operatorFolder!, entry as PinnedContext)
    else problems.push(`index.json entry ${i + 1} ${problem}`)
  }
  problems.push(...aliasProblems(contexts))
  if (problems.length > 0) {
    const folder = operatorFolder === null ? '' : `CREDENTIAL_CONTEXTS_DIR ${operatorFolder}: `
    const list = problems.map((each) => `  - ${each}`).join('\n')
    throw new OperatorError(`${folder}the JSON-LD contexts cannot be used:\n${list}`)
  }
  return contexts
}

function entryProblem(entry: unknown): string | null {
  const { url, file, sha256 } = (entry ?? {}) as Record<string, unknown>
  if (typeof url !== 'string' || !/^https:\/\/[^\s#]+$/.test(url) || !URL.canParse(url)) {
    return 'needs "url", an https URL without fragment'
  }
  if (typeof file !== 'string' || isAbsolute(file) || file.split(/[\\/]/).includes('..') || file === '') {
    return 'needs "file", a path inside the folder'
  }
  if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256)) {
    return 'needs "sha256", 64 lower-case hex digits'
  }
  return null
}

function readJson(path: string, sha256?: string): unknown {
  const bytes = readFileSync(path)
  if (bytes.length > MAX_FILE_BYTES) throw new Error(`is larger than ${MAX_FILE_BYTES} bytes`)
  const actual = sha256Hex(bytes)
  if (sha256 !== undefined && actual !== sha256)
    throw new Error(`has SHA-256 ${actual}, not the pinned ${sha256}`)
  return JSON.parse(bytes.toString()) as unknown
}

function describe(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return 'does not exist'
  if (code !== undefined) return `cannot be read (${code})`
  return error instanceof SyntaxError ? `is not JSON: ${message}` : message
}

const KEYWORD_ALIASES: Readonly<Record<string, string>> = { id: '@id', type: '@type' }
const CONTEXT_KEYWORDS: ReadonlySet<string> = new Set(['@protected', '@version'])
const TERM_KEYWORDS: ReadonlySet<string> = new Set(['@id', '@type', '@container', '@context'])
const CONTAINERS: ReadonlySet<unknown> = new Set([undefined, '@set', '@list', '@graph'])

/** Checks that all terms are protected, and that nothing can rename, add or hide terms. */
function documentProblems(document: unknown): string[] {
  if (!isObject(document) || Object.keys(document).join() !== '@context' || !isObject(document['@context'])) {
    return ['must be an object with only "@context", which must be an object']
  }
  return [...contextProblems(document['@context'], '@context')]
}

function* contextProblems(context: unknown, path: string): Generator<string> {
  // A null context removes all terms, and safe mode refuses undefined terms.
  if (context === null) return
  if (!isObject(context)) {
    yield `${path} must be an object; references to other contexts are not supported`
    return
  }
  if (context['@protected'] !== true) yield `${path} must have "@protected": true`
  for (const [term, definition] of Object.entries(context)) {
    if (!term.startsWith('@')) yield* termProblems(definition, term, `${path}.${term}`)
    else if (!CONTEXT_KEYWORDS.has(term)) yield `${path} must not have ${term}`
  }
}

function* termProblems(definition: unknown, term: string, path: string): Generator<string> {
  if (isObject(definition)) {
    const unknown = Object.keys(definition).filter((key) => !TERM_KEYWORDS.has(key))
    if (unknown.length > 0) yield `${path} must not have ${unknown.join(', ')}`
    if (!CONTAINERS.has(definition['@container'])) yield `${path} has an unsupported @container`
    if ('@context' in definition) yield* contextProblems(definition['@context'], `${path}.@context`)
  }
  const iri = iriOf(definition)
  if (typeof iri !== 'string') yield `${path} has no IRI`
  else if (iri.startsWith('@') && KEYWORD_ALIASES[term] !== iri) yield `${path} must not be mapped to ${iri}`
}

/** Finds different terms with the same IRI. One could replace the other in signed data. */
function aliasProblems(documents: ReadonlyMap<string, unknown>): string[] {
  const terms = new Map<string, Set<string>>()
  for (const document of documents.values()) {
    if (!isObject(document)) continue
    for (const [term, iri] of mappings(document['@context'], {}))
      terms.set(iri, (terms.get(iri) ?? new Set()).add(term))
  }
  return [...terms]
    .filter(([, names]) => names.size > 1)
    .map(([iri, names]) => `${[...names].join(' and ')} are both mapped to ${iri}`)
}

/** The terms of a context file and the IRIs that they are mapped to. */
function* mappings(
  context: unknown,
  outer: Readonly<Record<string, string>>,
): Generator<[term: string, iri: string]> {
  if (!isObject(context)) return
  const terms = Object.entries(context).filter(([term]) => !term.startsWith('@'))
  const iris = { ...outer }
  for (const [term, definition] of terms) {
    const iri = iriOf(definition)
    if (typeof iri === 'string') iris[term] = iri
  }
  for (const [term, definition] of terms) {
    const iri = iris[term]
    if (iri === undefined || iri.startsWith('@')) continue
    yield [term, expandIri(iri, iris)]
    if (isObject(definition)) yield* mappings(definition['@context'], iris)
  }
}

function iriOf(definition: unknown): unknown {
  return isObject(definition) ? definition['@id'] : definition
}

function expandIri(iri: string, iris: Readonly<Record<string, string>>): string {
  const colon = iri.indexOf(':')
  const prefix = iris[iri.slice(0, colon)]
  return prefix === undefined || iri.startsWith('//', colon + 1) ? iri : prefix + iri.slice(colon + 1)
}
