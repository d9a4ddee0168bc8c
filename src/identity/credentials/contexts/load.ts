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
  for (const pinned of PINNED_CONTEXTS) add(contexts, FOLDER, pinned, problems)
  if (operatorFolder !== null) {
    for (const pinned of readIndex(operatorFolder, problems)) add(contexts, operatorFolder, pinned, problems)
  }
  problems.push(...aliasProblems(contexts))
  if (problems.length > 0) {
    const folder = operatorFolder === null ? '' : `CREDENTIAL_CONTEXTS_DIR ${operatorFolder}: `
    const list = problems.map((each) => `  - ${each}`).join('\n')
    throw new OperatorError(`${folder}the JSON-LD contexts cannot be used:\n${list}`)
  }
  return contexts
}

function readIndex(folder: string, problems: string[]): PinnedContext[] {
  const index = readJson(join(folder, 'index.json'), 'index.json', problems)
  if (index === undefined) return []
  if (!Array.isArray(index)) {
    problems.push('index.json must be an array of { url, file, sha256 }')
    return []
  }
  return index.filter((entry, i): entry is PinnedContext => {
    const problem = entryProblem(entry)
    if (problem !== null) problems.push(`index.json entry ${i + 1} ${problem}`)
    return problem === null
  })
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

function add(
  contexts: Map<string, unknown>,
  folder: string,
  { url, file, sha256 }: PinnedContext,
  problems: string[],
): void {
  if (contexts.has(url)) problems.push(`${url} is defined twice`)
  const document = readJson(join(folder, file), file, problems, sha256)
  if (document === undefined) return
  problems.push(...contextProblems(document).map((problem) => `${file}: ${problem}`))
  contexts.set(url, document)
}

function readJson(path: string, file: string, problems: string[], sha256?: string): unknown {
  try {
    const bytes = readFileSync(path)
    if (bytes.length > MAX_FILE_BYTES) throw new Error(`is larger than ${MAX_FILE_BYTES} bytes`)
    const actual = sha256Hex(bytes)
    if (sha256 !== undefined && actual !== sha256) {
      throw new Error(`has SHA-256 ${actual}, not the pinned ${sha256}`)
    }
    return JSON.parse(bytes.toString()) as unknown
  } catch (error) {
    problems.push(`${file} ${describe(error)}`)
    return undefined
  }
}

function describe(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return 'does not exist'
  if (code !== undefined) return `cannot be read (${code})`
  return error instanceof SyntaxError ? `is not JSON: ${message}` : message
}

/** A term of a context file and the IRI it is mapped to. */
interface TermMapping {
  readonly term: string
  readonly iri: string
}

const KEYWORD_ALIASES: Readonly<Record<string, string>> = { id: '@id', type: '@type' }
const CONTEXT_KEYWORDS: ReadonlySet<string> = new Set(['@protected', '@version'])
const TERM_KEYWORDS: ReadonlySet<string> = new Set(['@id', '@type', '@container', '@context'])
const CONTAINERS: ReadonlySet<unknown> = new Set([undefined, '@set', '@list', '@graph'])

/**
 * Checks that a context file is safe for signed data: all terms are protected, and nothing can
 * rename, add or hide terms. Returns one line per problem.
 */
function contextProblems(document: unknown): string[] {
  if (!isObject(document) || Object.keys(document).join() !== '@context' || !isObject(document['@context'])) {
    return ['must be an object with only "@context", which must be an object']
  }
  const problems: string[] = []
  checkContext(document['@context'], '@context', problems)
  return problems
}

/** Finds different terms with the same IRI. One could replace the other in signed data. */
function aliasProblems(documents: ReadonlyMap<string, unknown>): string[] {
  const terms = new Map<string, Set<string>>()
  for (const document of documents.values()) {
    if (!isObject(document)) continue
    for (const { term, iri } of mappings(document['@context'], {})) {
      terms.set(iri, (terms.get(iri) ?? new Set()).add(term))
    }
  }
  return [...terms]
    .filter(([, names]) => names.size > 1)
    .map(([iri, names]) => `${[...names].join(' and ')} are both mapped to ${iri}`)
}

function checkContext(context: unknown, path: string, problems: string[]): void {
  // A null context removes all terms, and safe mode refuses undefined terms.
  if (context === null) return
  if (!isObject(context)) {
    problems.push(`${path} must be an object; references to other contexts are not supported`)
    return
  }
  if (context['@protected'] !== true) problems.push(`${path} must have "@protected": true`)
  for (const [term, definition] of Object.entries(context)) {
    if (!term.startsWith('@')) checkTerm(definition, term, `${path}.${term}`, problems)
    else if (!CONTEXT_KEYWORDS.has(term)) problems.push(`${path} must not have ${term}`)
  }
}

function checkTerm(definition: unknown, term: string, path: string, problems: string[]): void {
  if (isObject(definition)) {
    const unknown = Object.keys(definition).filter((key) => !TERM_KEYWORDS.has(key))
    if (unknown.length > 0) problems.push(`${path} must not have ${unknown.join(', ')}`)
    if (!CONTAINERS.has(definition['@container'])) problems.push(`${path} has an unsupported @container`)
    if ('@context' in definition) checkContext(definition['@context'], `${path}.@context`, problems)
  }
  const iri = iriOf(definition)
  if (typeof iri !== 'string') problems.push(`${path} has no IRI`)
  else if (iri.startsWith('@') && KEYWORD_ALIASES[term] !== iri) {
    problems.push(`${path} must not be mapped to ${iri}`)
  }
}

function mappings(context: unknown, outer: Readonly<Record<string, string>>): TermMapping[] {
  if (!isObject(context)) return []
  const iris = { ...outer }
  for (const [term, definition] of Object.entries(context)) {
    const iri = iriOf(definition)
    if (!term.startsWith('@') && typeof iri === 'string') iris[term] = iri
  }
  const found: TermMapping[] = []
  for (const [term, definition] of Object.entries(context)) {
    const iri = iris[term]
    if (term.startsWith('@') || iri === undefined || iri.startsWith('@')) continue
    found.push({ term, iri: expandIri(iri, iris) })
    if (isObject(definition)) found.push(...mappings(definition['@context'], iris))
  }
  return found
}

function iriOf(definition: unknown): unknown {
  return isObject(definition) ? definition['@id'] : definition
}

function expandIri(iri: string, iris: Readonly<Record<string, string>>): string {
  const colon = iri.indexOf(':')
  const prefix = iris[iri.slice(0, colon)]
  return prefix === undefined || iri.startsWith('//', colon + 1) ? iri : prefix + iri.slice(colon + 1)
}
