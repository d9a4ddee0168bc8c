import {
  type FieldNode,
  type FragmentDefinitionNode,
  getNamedType,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLNamedType,
  isAbstractType,
  isCompositeType,
  isListType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  valueFromASTUntyped,
} from 'graphql'
import { PAGE_LIMIT } from '../src/domain/page.ts'
import { schema } from './index.ts'
import { VALUES_PER_UNIT } from './limits.ts'

/** What an object costs in scalars, because it may be read with a loader. */
export const OBJECT_WEIGHT = 3
/** What a value of introspection costs in scalars: it is in memory already. */
const INTROSPECTION_WEIGHT = 0.25
/** Assumed entries of lists that have no page arguments and set no `listSize`. */
const LIST_SIZE = 10
/** Average entries of lists of introspection, such as the arguments of a field. */
const INTROSPECTION_LIST_SIZE = 1
/** Characters of a document that cost a unit in addition, because reading it takes time. */
export const CHARACTERS_PER_UNIT = 1_000

type Variables = Readonly<Record<string, unknown>>
/** The field around a selection: its arguments, and the entries that they allow. */
interface Outer {
  readonly args: Variables
  readonly page: number | null
}
type Fragments = (name: string) => FragmentDefinitionNode | undefined

/** Units for reading a document, charged before it is parsed. Zero for short documents. */
export function documentUnits(text: string): number {
  return Math.floor(text.length / CHARACTERS_PER_UNIT)
}

/** Units of the root fields alone, which REST charges. */
export function rootFieldUnits(operation: OperationDefinitionNode, variables: Variables): number {
  const rootType = schema.getRootType(operation.operation)
  let units = 0
  for (const node of operation.selectionSet.selections) {
    if (!rootType || node.kind !== Kind.FIELD) continue
    const field = schema.getField(rootType, node.name.value)
    units += field?.extensions.units?.(argumentsOf(node, variables), {}) ?? 1
  }
  return units
}

/**
 * Units of an operation, at least one: those of its fields, and one for each 600 values that
 * the response can have at most, where an object is three values. Fragments count each time they
 * are spread. A list has as many entries as its page arguments allow. The operation must be valid.
 */
export function operationUnits(
  operation: OperationDefinitionNode,
  fragmentOf: Fragments,
  given: Variables = {},
): number {
  const variables = { ...defaultsOf(operation), ...given }
  const rootType = schema.getRootType(operation.operation)
  if (!rootType) return 1
  let fieldUnits = 0

  /** The most values of a selection: an object has the fields of one type only. */
  const values = (set: SelectionSetNode, type: GraphQLCompositeType, outer: Outer): number => {
    let common = 0
    const byType = new Map<string, number>()
    for (const each of set.selections) {
      if (each.kind === Kind.FIELD) {
        common += fieldValues(each, type, outer)
        continue
      }
      const fragment = each.kind === Kind.FRAGMENT_SPREAD ? fragmentOf(each.name.value) : each
      if (fragment === undefined) continue
      const condition = schema.getType(fragment.typeCondition?.name.value ?? type.name)
      const inner = values(fragment.selectionSet, condition as GraphQLCompositeType, outer)
      if (condition === type || isAbstractType(condition)) common += inner
      else byType.set(condition!.name, (byType.get(condition!.name) ?? 0) + inner)
    }
    return common + Math.max(0, ...byType.values())
  }

  const fieldValues = (node: FieldNode, parent: GraphQLCompositeType, outer: Outer): number => {
    const field = schema.getField(parent, node.name.value)
    if (field === undefined) return 0
    const args = argumentsOf(node, variables)
    // Each `__type` can describe the largest type again.
    const isCharged = field.name === '__type' || !field.name.startsWith('__')
    const usual = parent === rootType && isCharged ? 1 : 0
    fieldUnits += field.extensions.units?.(args, outer.args) ?? usual
    const type = getNamedType(field.type)
    const below =
      node.selectionSet && isCompositeType(type)
        ? values(node.selectionSet, type, { args, page: pageOf(field, args) })
        : 0
    // `nodes` returns an object for each id.
    const ids = args['ids']
    const page = ids === undefined ? outer.page : Array.isArray(ids) ? ids.length : 1
    return entriesOf(field, parent, page) * ((field.extensions.weight ?? weightOf(type, parent)) + below)
  }

  const total = values(operation.selectionSet, rootType, { args: {}, page: null })
  return Math.max(1, Math.round(fieldUnits + total / VALUES_PER_UNIT))
}

function weightOf(type: GraphQLNamedType, parent: GraphQLCompositeType): number {
  if (parent.name.startsWith('__') || type.name.startsWith('__')) return INTROSPECTION_WEIGHT
  return isCompositeType(type) ? OBJECT_WEIGHT : 1
}

function entriesOf(
  { type, extensions }: GraphQLField<unknown, unknown>,
  parent: GraphQLCompositeType,
  page: number | null,
): number {
  if (!isListType(isNonNullType(type) ? type.ofType : type)) return 1
  if (parent.name === '__Schema') return Object.keys(schema.getTypeMap()).length
  return page ?? extensions.listSize ?? (parent.name.startsWith('__') ? INTROSPECTION_LIST_SIZE : LIST_SIZE)
}

/** The entries that a field with page arguments can return, null for other fields. */
function pageOf(
  { args, extensions }: GraphQLField<unknown, unknown>,
  { limit, first, last }: Variables,
): number | null {
  if (!args.some(({ name }) => name === 'limit' || name === 'first')) return null
  const page = limit ?? first ?? last ?? PAGE_LIMIT.default
  const max = extensions.listSize ?? PAGE_LIMIT.max
  return typeof page === 'number' ? Math.min(Math.max(page, 0), max) : max
}

function argumentsOf({ arguments: given = [] }: FieldNode, variables: Variables): Variables {
  return Object.fromEntries(
    given.map(({ name, value }) => [name.value, valueFromASTUntyped(value, variables)]),
  )
}

function defaultsOf({ variableDefinitions = [] }: OperationDefinitionNode): Variables {
  return Object.fromEntries(
    variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue === undefined ? [] : [[variable.name.value, valueFromASTUntyped(defaultValue)]],
    ),
  )
}
