type Definition = Record<string, unknown>

/** A term and what it stands for, in one context file. */
interface TermMeaning {
  readonly term: string
  readonly iri: string
}

const KEYWORD_ALIASES: Readonly<Record<string, string>> = { id: '@id', type: '@type' }
const CONTEXT_KEYWORDS: ReadonlySet<string> = new Set(['@protected', '@version'])
const TERM_KEYWORDS: ReadonlySet<string> = new Set(['@id', '@type', '@container', '@context'])
const CONTAINERS: ReadonlySet<unknown> = new Set([undefined, '@set', '@list', '@graph'])

/**
 * What makes a context file safe to interpret signed data by: terms that nobody can redefine (`@protected`), no default vocabulary,
 * base or import, no context from elsewhere, no alias of a keyword besides id and type, no container that drops or hides values.
 * Returns what is wrong, a line each.
 */
export function contextProblems(document: unknown): string[] {
  if (!isObject(document) || Object.keys(document).join() !== '@context' || !isObject(document['@context'])) {
    return ['must be an object with "@context" alone, which is an object']
  }
  const problems: string[] = []
  visit(document['@context'], '@context', problems)
  return problems
}

/** Terms of different contexts that stand for one IRI: by them, signed data could be told under another name. */
export function aliasProblems(documents: ReadonlyMap<string, unknown>): string[] {
  const terms = new Map<string, Set<string>>()
  for (const document of documents.values()) {
    if (!isObject(document)) continue
    for (const { term, iri } of meanings(document['@context'], {})) {
      terms.set(iri, (terms.get(iri) ?? new Set()).add(term))
    }
  }
  return [...terms]
    .filter(([, names]) => names.size > 1)
    .map(([iri, names]) => `${[...names].join(' and ')} both stand for ${iri}`)
}

function visit(context: unknown, place: string, problems: string[]): void {
  // Under a null context no term is left, so that safe mode refuses whatever stands there.
  if (context === null) return
  if (!isObject(context)) {
    problems.push(`${place} must be an object: contexts from elsewhere are not taken`)
    return
  }
  if (context['@protected'] !== true) problems.push(`${place} lacks "@protected": true`)
  for (const [term, definition] of Object.entries(context)) {
    if (term.startsWith('@')) {
      if (!CONTEXT_KEYWORDS.has(term)) problems.push(`${place} has ${term}`)
    } else visitTerm(definition, term, `${place}.${term}`, problems)
  }
}

function visitTerm(definition: unknown, term: string, place: string, problems: string[]): void {
  if (isObject(definition)) {
    const unknown = Object.keys(definition).filter((key) => !TERM_KEYWORDS.has(key))
    if (unknown.length > 0) problems.push(`${place} has ${unknown.join(', ')}`)
    if (!CONTAINERS.has(definition['@container'])) problems.push(`${place} has a container that is not taken`)
    if ('@context' in definition) visit(definition['@context'], `${place}.@context`, problems)
  }
  const iri = isObject(definition) ? definition['@id'] : definition
  if (typeof iri !== 'string') problems.push(`${place} has no IRI`)
  else if (iri.startsWith('@') && KEYWORD_ALIASES[term] !== iri) problems.push(`${place} stands for ${iri}`)
}

function meanings(context: unknown, outer: Readonly<Record<string, string>>): TermMeaning[] {
  if (!isObject(context)) return []
  const iris = { ...outer }
  for (const [term, definition] of Object.entries(context)) {
    const iri = isObject(definition) ? definition['@id'] : definition
    if (!term.startsWith('@') && typeof iri === 'string') iris[term] = iri
  }
  const found: TermMeaning[] = []
  for (const [term, definition] of Object.entries(context)) {
    const iri = iris[term]
    if (term.startsWith('@') || iri === undefined || iri.startsWith('@')) continue
    found.push({ term, iri: expanded(iri, iris) })
    if (isObject(definition)) found.push(...meanings(definition['@context'], iris))
  }
  return found
}

function expanded(iri: string, iris: Readonly<Record<string, string>>): string {
  const colon = iri.indexOf(':')
  const prefix = iris[iri.slice(0, colon)]
  return prefix === undefined || iri.startsWith('//', colon + 1) ? iri : prefix + iri.slice(colon + 1)
}

function isObject(value: unknown): value is Definition {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
