import {
  GraphQLError,
  type GraphQLResolveInfo,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql'

const EMPTY = {
  depth: 0,
  /** Fields at the top, without __typename. */
  topFields: 0,
  /** Fields at all levels. */
  fields: 0,
}
type SelectionSize = Readonly<typeof EMPTY>

/**
 * Measures selections. A fragment counts each time it is spread, but is measured only once:
 * fragments that spread each other twice would otherwise double the work at every level. Throws
 * GraphQLError for a fragment that contains itself.
 */
export function measureWith(fragmentOf: (name: string) => SelectionSetNode | undefined) {
  const fragments = new Map<string, SelectionSize>()
  const measuring = new Set<string>()

  const measure = (set: SelectionSetNode | undefined): SelectionSize =>
    (set?.selections ?? []).map(sizeOf).reduce(
      (sum, each) => ({
        depth: Math.max(sum.depth, each.depth),
        topFields: sum.topFields + each.topFields,
        fields: sum.fields + each.fields,
      }),
      EMPTY,
    )

  const sizeOf = (selection: SelectionNode): SelectionSize => {
    if (selection.kind === Kind.INLINE_FRAGMENT) return measure(selection.selectionSet)
    const name = selection.name.value
    if (selection.kind === Kind.FIELD) {
      // graphql-js limits the depth of introspection itself.
      const { depth, fields } = measure(selection.selectionSet)
      return {
        depth: name.startsWith('__') ? 0 : depth + 1,
        topFields: name === '__typename' ? 0 : 1,
        fields: fields + 1,
      }
    }
    const known = fragments.get(name)
    if (known !== undefined) return known
    if (measuring.has(name))
      throw new GraphQLError(`Cannot spread fragment "${name}" within itself`, { nodes: selection })
    measuring.add(name)
    const size = measure(fragmentOf(name))
    fragments.set(name, size)
    return size
  }
  return measure
}

const sizes = new WeakMap<readonly unknown[], number>()

/** The number of fields selected below the field that is being resolved. */
export function fieldsBelow({ fieldNodes, fragments }: GraphQLResolveInfo): number {
  const known = sizes.get(fieldNodes)
  if (known !== undefined) return known
  const measure = measureWith((name) => fragments[name]?.selectionSet)
  const size = fieldNodes.reduce((sum, { selectionSet }) => sum + measure(selectionSet).fields, 0)
  sizes.set(fieldNodes, size)
  return size
}
