import { isObject } from '../../strict-json.ts'

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
export function contextProblems(document: unknown): string[] {
  if (!isObject(document) || Object.keys(document).join() !== '@context' || !isObject(document['@context'])) {
    return ['must be an object with only "@context", which must be an object']
  }
  const problems: string[] = []
  checkContext(document['@context'], '@context', problems)
  return problems
}

/** Finds different terms with the same IRI. One could replace the other in signed data. */
export function aliasProblems(documents: ReadonlyMap<string, unknown>): string[] {
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
