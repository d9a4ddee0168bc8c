import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type SelectionSetNode,
} from 'graphql'
import { LIMITS } from './limits.ts'
import { measureWith } from './selection-size.ts'

type FragmentOf = (name: string) => FragmentDefinitionNode | undefined

export function fragmentsOf({ definitions }: DocumentNode): FragmentOf {
  const fragments = new Map(
    definitions.flatMap((each) => (each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each]] : [])),
  )
  return (name) => fragments.get(name)
}

/**
 * Throws GraphQLError if the document is too large to be validated in a few milliseconds. Looks at
 * names only, and takes time in proportion to the number of fields.
 */
export function checkDocumentSize(document: DocumentNode): void {
  const fragmentOf = fragmentsOf(document)
  const measure = measureWith((name) => fragmentOf(name)?.selectionSet)
  let total = 0
  for (const definition of document.definitions) {
    if (!('selectionSet' in definition)) continue
    const refuse = (problem: string): never => {
      throw new GraphQLError(`The query ${problem}`, { nodes: definition })
    }
    const { depth, topFields, fields } = measure(definition.selectionSet)
    total += fields
    if (definition.kind === Kind.OPERATION_DEFINITION) {
      if (depth > LIMITS.depth) refuse(`is nested deeper than ${LIMITS.depth} levels`)
      if (topFields > LIMITS.rootFields) refuse(`has more than ${LIMITS.rootFields} root fields`)
    }
    if (fields > LIMITS.fields) refuse(`has more than ${LIMITS.fields} fields, fragments included`)
    if (total > LIMITS.documentFields)
      refuse(`has more than ${LIMITS.documentFields} fields in all operations and fragments together`)
    if (countRepeated([definition.selectionSet], fragmentOf) > LIMITS.repeatedFields)
      refuse(`repeats field names or fragments too often: more than ${LIMITS.repeatedFields} pairs`)
  }
}

/**
 * The number of pairs of fields that have the same response name and are merged into one. The
 * validation compares each of these pairs. `sets` are the selections of one object.
 */
function countRepeated(sets: readonly SelectionSetNode[], fragmentOf: FragmentOf): number {
  const byName = new Map<string, FieldNode[]>()
  const spread = new Set<string>()
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const each of selections) {
      if (each.kind === Kind.FIELD) {
        const name = (each.alias ?? each.name).value
        const fields = byName.get(name)
        if (fields === undefined) byName.set(name, [each])
        else fields.push(each)
      } else if (each.kind === Kind.INLINE_FRAGMENT) collect(each.selectionSet)
      else if (!spread.has(each.name.value)) {
        spread.add(each.name.value)
        const fragment = fragmentOf(each.name.value)
        if (fragment !== undefined) collect(fragment.selectionSet)
      }
    }
  }
  sets.forEach(collect)
  let pairs = pairsOf(spread.size)
  for (const fields of byName.values()) {
    const below = fields.flatMap(({ selectionSet }) => selectionSet ?? [])
    pairs += pairsOf(fields.length) + (below.length > 0 ? countRepeated(below, fragmentOf) : 0)
  }
  return pairs
}

const pairsOf = (count: number): number => (count * (count - 1)) / 2
