import {
  type ASTVisitor,
  type DocumentNode,
  GraphQLError,
  Kind,
  parse,
  type SelectionSetNode,
  type ValidationContext,
} from 'graphql'

/** Bounds of one document at /graphql. Introspection has a depth limit of its own in graphql-js. */
export const LIMITS = { tokens: 2_000, depth: 8, rootFields: 10 } as const

export function parseLimited(text: string): DocumentNode {
  return parse(text, { maxTokens: LIMITS.tokens })
}

/** Validation rule: how deep fields nest, and how many reads one document asks for. */
export function sizeLimits(context: ValidationContext): ASTVisitor {
  return {
    OperationDefinition: (operation) => {
      const { depth, fields } = measure(operation.selectionSet, context, new Set())
      const refuse = (message: string): void =>
        context.reportError(new GraphQLError(message, { nodes: operation }))
      if (depth > LIMITS.depth) refuse(`The query is nested deeper than ${LIMITS.depth} levels`)
      if (fields > LIMITS.rootFields) refuse(`The query has more than ${LIMITS.rootFields} root fields`)
    },
  }
}

interface Size {
  depth: number
  /** Fields at the top, fragments included. */
  fields: number
}

function measure(set: SelectionSetNode | undefined, context: ValidationContext, within: Set<string>): Size {
  const size: Size = { depth: 0, fields: 0 }
  for (const selection of set?.selections ?? []) {
    if (selection.kind === Kind.FIELD) {
      if (selection.name.value.startsWith('__')) continue
      const { depth } = measure(selection.selectionSet, context, within)
      size.fields += 1
      size.depth = Math.max(size.depth, depth + 1)
      continue
    }
    const name = selection.kind === Kind.FRAGMENT_SPREAD ? selection.name.value : null
    // Cycles of fragments are refused by a rule of graphql-js; here they only must not loop.
    if (name !== null && within.has(name)) continue
    const inner =
      selection.kind === Kind.INLINE_FRAGMENT
        ? selection.selectionSet
        : context.getFragment(selection.name.value)?.selectionSet
    const { depth, fields } = measure(inner, context, name === null ? within : new Set(within).add(name))
    size.fields += fields
    size.depth = Math.max(size.depth, depth)
  }
  return size
}
