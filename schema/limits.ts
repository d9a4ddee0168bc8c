import { type ASTVisitor, type DocumentNode, GraphQLError, parse, type ValidationContext } from 'graphql'
import { measureWith } from './selection-size.ts'

/** Limits of one operation at /graphql. */
export const LIMITS = {
  characters: 20_000,
  tokens: 1_000,
  /** Members of objects and lists in the JSON of a request, at all levels. */
  values: 3_000,
  depth: 8,
  rootFields: 10,
  /** The fields of a fragment count each time it is spread. */
  fields: 500,
  /** The limits of nested lists times the fields of each entry. */
  nestedValues: 200_000,
} as const

/** Throws GraphQLError if the text is invalid, too long or nested too deeply. */
export function parseLimited(text: string): DocumentNode {
  try {
    return parse(text, { maxTokens: LIMITS.tokens })
  } catch (error) {
    if (error instanceof RangeError) throw new GraphQLError('Syntax Error: The query is nested too deeply')
    throw error
  }
}

/** Validation rule: limits the depth and the number of fields of an operation. */
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

/** Whether a value has too many members at all levels. Stops counting at the limit. */
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
