import {
  type ASTVisitor,
  type DocumentNode,
  GraphQLError,
  Kind,
  parse,
  type SelectionNode,
  type SelectionSetNode,
  type ValidationContext,
} from 'graphql'

/**
 * Bounds of one operation at /graphql. Introspection has a depth limit of its own in graphql-js.
 * `nestedRows`: entries of pages below other pages, as many as their limits allow.
 */
export const LIMITS = { tokens: 2_000, depth: 8, rootFields: 10, nestedRows: 20_000 } as const

export function parseLimited(text: string): DocumentNode {
  return parse(text, { maxTokens: LIMITS.tokens })
}

/** Validation rule: how deep fields nest, and how many reads one document asks for. */
export function sizeLimits(context: ValidationContext): ASTVisitor {
  const measure = measureWith((name) => context.getFragment(name)?.selectionSet)
  return {
    OperationDefinition: (operation) => {
      const { depth, fields } = measure(operation.selectionSet)
      const refuse = (message: string): void =>
        context.reportError(new GraphQLError(message, { nodes: operation }))
      if (depth > LIMITS.depth) refuse(`The query is nested deeper than ${LIMITS.depth} levels`)
      if (fields > LIMITS.rootFields) refuse(`The query has more than ${LIMITS.rootFields} root fields`)
    },
  }
}

interface Size {
  readonly depth: number
  /** Fields at the top, those of fragments included. */
  readonly fields: number
}

const NOTHING: Size = { depth: 0, fields: 0 }

/** Each fragment is measured once: fragments that spread each other twice would else cost twice as much at every level. */
function measureWith(fragmentOf: (name: string) => SelectionSetNode | undefined) {
  const fragments = new Map<string, Size>()

  const measure = (set: SelectionSetNode | undefined): Size =>
    (set?.selections ?? [])
      .map(sizeOf)
      .reduce(
        (sum, each) => ({ depth: Math.max(sum.depth, each.depth), fields: sum.fields + each.fields }),
        NOTHING,
      )

  const sizeOf = (selection: SelectionNode): Size => {
    if (selection.kind === Kind.INLINE_FRAGMENT) return measure(selection.selectionSet)
    const name = selection.name.value
    if (selection.kind === Kind.FIELD) {
      return name.startsWith('__') ? NOTHING : { depth: measure(selection.selectionSet).depth + 1, fields: 1 }
    }
    const known = fragments.get(name)
    if (known !== undefined) return known
    // Stands in for the fragment inside itself; graphql-js refuses such cycles by a rule of its own.
    fragments.set(name, NOTHING)
    const size = measure(fragmentOf(name))
    fragments.set(name, size)
    return size
  }
  return measure
}
