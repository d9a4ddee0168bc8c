import { type ASTVisitor, type DocumentNode, GraphQLError, parse, type ValidationContext } from 'graphql'
import { measureWith } from './selection-size.ts'

/**
 * Bounds of one operation at /graphql. `fields` counts those of fragments as often as they are spread.
 * `values`: members of objects and lists in the JSON of a request, at all levels.
 * `nestedValues`: entries of pages below other pages, as many as their limits allow, times the fields of each.
 */
export const LIMITS = {
  characters: 20_000,
  tokens: 1_000,
  values: 3_000,
  depth: 8,
  rootFields: 10,
  fields: 500,
  nestedValues: 200_000,
} as const

/** Throws GraphQLError for what is no document, or one too long or too deep to read. */
export function parseLimited(text: string): DocumentNode {
  try {
    return parse(text, { maxTokens: LIMITS.tokens })
  } catch (error) {
    if (error instanceof RangeError) throw new GraphQLError('Syntax Error: The query is nested too deeply')
    throw error
  }
}

/** Validation rule: how deep fields nest, and how much one document asks for. */
export function sizeLimits(context: ValidationContext): ASTVisitor {
  const measure = measureWith((name) => context.getFragment(name)?.selectionSet)
  return {
    OperationDefinition: (operation) => {
      const { depth, topFields, fields } = measure(operation.selectionSet)
      const refuse = (problem: string): void =>
        context.reportError(new GraphQLError(`The query ${problem}`, { nodes: operation }))
      if (depth > LIMITS.depth) refuse(`is nested deeper than ${LIMITS.depth} levels`)
      if (topFields > LIMITS.rootFields) refuse(`has more than ${LIMITS.rootFields} root fields`)
      if (fields > LIMITS.fields) refuse(`has more than ${LIMITS.fields} fields, fragments included`)
    },
  }
}

/** Whether a value has more members, at all levels, than is allowed; stops counting there. */
export function hasTooManyValues(request: unknown): boolean {
  const left: unknown[] = [request]
  for (let count = 0; left.length > 0;) {
    const value = left.pop()
    if (typeof value !== 'object' || value === null) continue
    const members: unknown[] = Array.isArray(value) ? value : Object.values(value)
    count += members.length
    if (count > LIMITS.values) return true
    for (const member of members) left.push(member)
  }
  return false
}
