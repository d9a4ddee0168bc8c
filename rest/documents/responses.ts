import {
  type FieldNode,
  getNamedType,
  type GraphQLField,
  type GraphQLAbstractType,
  type GraphQLCompositeType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql'
import { schema } from '../../schema/index.ts'
import { type Json, NAME, named } from '../contract/shapes.ts'
import { directiveOf, type Fragments, mistake, type Operation } from './documents.ts'
import { choice, scalar } from './json-schema.ts'

/** A field of a response. Several selections of one name are merged. */
export interface Selected {
  readonly field: GraphQLField<unknown, unknown>
  readonly node: FieldNode
  readonly nodes: readonly FieldNode[]
  readonly name: string
  readonly optional: boolean
  /** Of an object, or of the objects of a list. Of an interface or union: what all types have. */
  readonly inner: readonly Selected[] | null
  /** Of an interface or union whose types have different fields: those of each type. */
  readonly variants: ReadonlyMap<string, readonly Selected[]> | null
  /** The name of the object in OpenAPI. */
  readonly model: string
}

type FragmentSource = Pick<Fragments, 'get'>

export function rootFields({
  definition,
  fragments,
}: Pick<Operation, 'definition'> & { readonly fragments: FragmentSource }): readonly Selected[] {
  return select([definition.selectionSet], schema.getRootType(definition.operation)!, fragments)
}

/** Whether the one root field is the body. One with an alias is a member of the body. */
export const isBody = ([first, ...more]: readonly Selected[]): boolean =>
  more.length === 0 && first?.node.alias === undefined

function select(
  sets: readonly SelectionSetNode[],
  type: GraphQLCompositeType,
  fragments: FragmentSource,
): Selected[] {
  const nodes = sets.flatMap((set) => fieldsOf(set, type, fragments))
  const selected = Array.from(
    Map.groupBy(nodes, ({ alias, name }) => (alias ?? name).value),
    ([alias, same]) => toSelected(alias, same, type, fragments),
  )
  const names = selected.map(({ name }) => name)
  const repeated = selected.find(({ name }, i) => names.indexOf(name) < i)
  if (repeated !== undefined) throw mistake(`Two members have the name ${repeated.name}`, repeated.node)
  return selected
}

function toSelected(
  alias: string,
  nodes: readonly FieldNode[],
  parent: GraphQLCompositeType,
  fragments: FragmentSource,
): Selected {
  const node = nodes[0]!
  const field = schema.getField(parent, node.name.value)!
  const type = getNamedType(field.type)
  const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? [])
  const variants = isAbstractType(type) ? variantsOf(sets, type, fragments) : null
  const [[, same] = []] = variants ?? []
  if (variants !== null && variants.size > 1 && !same!.some((each) => each.field.name === TYPE_NAME))
    throw mistake(`${field.name} can have several types. Select ${TYPE_NAME} too`, node)
  return {
    field,
    node,
    nodes,
    name: directiveOf('as', node)?.name ?? alias,
    optional: nodes.some((each) => directiveOf('optional', each) !== null),
    inner: isObjectType(type) ? select(sets, type, fragments) : variants?.size === 1 ? same! : null,
    variants: variants?.size === 1 ? null : variants,
    model: modelOf(node, fragments) ?? type.name,
  }
}

const TYPE_NAME = '__typename'

/** The fields of each possible type. One entry if they are the same. */
function variantsOf(
  sets: readonly SelectionSetNode[],
  type: GraphQLAbstractType,
  fragments: FragmentSource,
): ReadonlyMap<string, readonly Selected[]> {
  const all = schema.getPossibleTypes(type).map((each) => [each.name, select(sets, each, fragments)] as const)
  const shapes = new Set(all.map(([, fields]) => JSON.stringify(shapeOf(fields))))
  return new Map(shapes.size === 1 ? all.slice(0, 1) : all)
}

const shapeOf = (fields: readonly Selected[]): unknown[] =>
  fields.map(({ name, field, inner }) => [name, field.name, inner && shapeOf(inner)])

function fieldsOf(
  { selections }: SelectionSetNode,
  type: GraphQLCompositeType,
  fragments: FragmentSource,
): FieldNode[] {
  const isOf = (name: string): boolean => {
    const condition = schema.getType(name)
    return (
      condition === type ||
      (isAbstractType(condition) && schema.isSubType(condition, type as GraphQLObjectType))
    )
  }
  return selections.flatMap((each) => {
    const condition = each.directives?.find(({ name }) => name.value === 'include' || name.value === 'skip')
    if (condition !== undefined)
      throw mistake(
        '@include and @skip are not supported. Use @optional for a member that can be absent',
        condition,
      )
    if (each.kind === Kind.FIELD) return each
    const { typeCondition, selectionSet } =
      each.kind === Kind.FRAGMENT_SPREAD ? fragments.get(each.name.value)! : each
    return typeCondition === undefined || isOf(typeCondition.name.value)
      ? fieldsOf(selectionSet, type, fragments)
      : []
  })
}

/** The name that the field gives to its object, or the fragment that is its whole selection. */
function modelOf(node: FieldNode, fragments: FragmentSource): string | undefined {
  const [only, ...more] = node.selectionSet?.selections ?? []
  const fragment =
    only?.kind === Kind.FRAGMENT_SPREAD && more.length === 0 ? fragments.get(only.name.value) : null
  const directive = directiveOf('model', node) ?? (fragment && directiveOf('model', fragment))
  return directive?.name
}

/** The JSON Schema of the body of a response. */
export function responseSchema(operation: Operation): Json {
  const fields = rootFields(operation)
  if (!isBody(fields)) {
    const model = directiveOf('model', operation.definition)
    if (model === null)
      throw mistake('Its body has several members, so it needs @model', operation.definition)
    return named(model.name, ofObject(fields, operation.summary))
  }
  return ofType(fields[0]!.field.type, fields[0]!)
}

function ofField(selected: Selected): Json {
  const { field, optional } = selected
  const isNullable = !isNonNullType(field.type) && !optional
  const value = ofType(field.type, selected)
  const { jsonSchema } = field.extensions
  if (value[NAME] !== undefined)
    return isNullable ? { description: field.description, oneOf: [value, { type: 'null' }] } : value
  const { enum: choices, type, items } = value
  return {
    ...value,
    ...(isNullable ? { type: [type, 'null'] } : {}),
    ...(isNullable && Array.isArray(choices) ? { enum: [...choices, null] } : {}),
    description: field.description,
    ...(items === undefined ? jsonSchema : { items: { ...(items as Json), ...exampleOfItems(jsonSchema) } }),
  }
}

function ofType(type: GraphQLOutputType, selected: Selected): Json {
  if (isNonNullType(type)) return ofType(type.ofType, selected)
  if (isListType(type)) return { type: 'array', items: ofType(type.ofType, selected) }
  if (selected.variants !== null) return { anyOf: Array.from(selected.variants, ofVariant) }
  if (isCompositeType(type)) return named(selected.model, ofObject(selected.inner!, type.description ?? ''))
  if (isEnumType(type)) return choice(type)
  return scalar(type.name).output
}

function ofVariant([type, fields]: readonly [string, readonly Selected[]]): Json {
  const object = ofObject(fields, schema.getType(type)!.description ?? '')
  const name = fields.find(({ field }) => field.name === TYPE_NAME)!.name
  const properties = { ...(object['properties'] as Json), [name]: { type: 'string', enum: [type] } }
  return { ...object, properties }
}

/** Open for members that are added later. */
const ofObject = (fields: readonly Selected[], description: string): Json => ({
  type: 'object',
  description,
  required: fields.filter(({ optional }) => !optional).map(({ name }) => name),
  properties: Object.fromEntries(fields.map((each) => [each.name, ofField(each)])),
})

/** A list shows the example of its items. */
function exampleOfItems({ examples }: Json = {}): Json {
  return Array.isArray(examples) ? { examples: examples[0] as unknown } : {}
}
