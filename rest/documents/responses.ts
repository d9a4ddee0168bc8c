import {
  type FieldNode,
  getNamedType,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  isAbstractType,
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
  /** The name in the response. */
  readonly name: string
  readonly optional: boolean
  /** Of an object, or of the objects of a list. */
  readonly inner: readonly Selected[] | null
  /** The name of the object in OpenAPI. */
  readonly model: string
}

/** The fields of the response to an operation. */
export function rootFields({ definition, fragments }: Operation): readonly Selected[] {
  return select([definition.selectionSet], schema.getRootType(definition.operation)!, fragments)
}

/** Whether the one root field is the body. One with an alias is a member of the body. */
export const isBody = ([first, ...more]: readonly Selected[]): boolean =>
  more.length === 0 && first?.node.alias === undefined

function select(
  sets: readonly SelectionSetNode[],
  type: GraphQLObjectType,
  fragments: Fragments,
): Selected[] {
  const nodes = sets.flatMap((set) => fieldsOf(set, fragments))
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
  parent: GraphQLObjectType,
  fragments: Fragments,
): Selected {
  const node = nodes[0]!
  const field = schema.getField(parent, node.name.value)!
  const type = getNamedType(field.type)
  if (isAbstractType(type)) throw mistake('Fields of interfaces and unions are not supported', node)
  const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? [])
  return {
    field,
    node,
    name: directiveOf('as', node)?.name ?? alias,
    optional: nodes.some((each) => directiveOf('optional', each) !== null),
    inner: isObjectType(type) ? select(sets, type, fragments) : null,
    model: modelOf(node, fragments) ?? type.name,
  }
}

function fieldsOf({ selections }: SelectionSetNode, fragments: Fragments): FieldNode[] {
  return selections.flatMap((each) => {
    const condition = each.directives?.find(({ name }) => name.value === 'include' || name.value === 'skip')
    if (condition !== undefined)
      throw mistake(
        '@include and @skip are not supported. Use @optional for a member that can be absent',
        condition,
      )
    if (each.kind === Kind.FIELD) return each
    if (each.kind === Kind.FRAGMENT_SPREAD)
      return fieldsOf(fragments.get(each.name.value)!.selectionSet, fragments)
    throw mistake('Inline fragments are not supported. Name the fragment', each)
  })
}

/** The name that the field gives to its object, or the fragment that is its whole selection. */
function modelOf(node: FieldNode, fragments: Fragments): string | undefined {
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
  const [{ field, model, inner }] = fields as [Selected]
  return ofType(field.type, { model, inner })
}

function ofField({ field, optional, model, inner }: Selected): Json {
  const isNullable = !isNonNullType(field.type) && !optional
  const value = ofType(field.type, { model, inner })
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

function ofType(type: GraphQLOutputType, selected: Pick<Selected, 'model' | 'inner'>): Json {
  if (isNonNullType(type)) return ofType(type.ofType, selected)
  if (isListType(type)) return { type: 'array', items: ofType(type.ofType, selected) }
  if (isObjectType(type)) return named(selected.model, ofObject(selected.inner!, type.description ?? ''))
  if (isEnumType(type)) return choice(type)
  return scalar(type.name).output
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

type Members = Record<string, unknown>
type Change = (object: Members) => Members

/** Makes the body of a response from the data of its operation. */
export function bodyOf(operation: Operation): (data: Members) => unknown {
  const fields = rootFields(operation)
  const change = changeOf(fields) ?? ((data: Members) => data)
  if (!isBody(fields)) return change
  const { name } = fields[0]!
  return (data) => change(data)[name]
}

/** What the directives `@optional` and `@as` change of an object. Null if nothing. */
function changeOf(fields: readonly Selected[]): Change | null {
  const steps = fields.flatMap((each) => stepOf(each) ?? [])
  const isRenamed = fields.some(({ name, node }) => name !== keyOf(node))
  if (steps.length === 0 && !isRenamed) return null
  const inPlace: Change = (object) => {
    for (const step of steps) step(object)
    return object
  }
  if (!isRenamed) return inPlace
  return (object) => {
    const changed = inPlace(object)
    return Object.fromEntries(fields.map(({ name, node }) => [name, changed[keyOf(node)]]))
  }
}

const keyOf = ({ alias, name }: FieldNode): string => (alias ?? name).value

function stepOf({ node, optional, inner }: Selected): ((object: Members) => void) | null {
  const key = keyOf(node)
  const change = inner && changeOf(inner)
  if (!optional && change === null) return null
  const changed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(changed)
    return change === null || value === null ? value : change(value as Members)
  }
  return (object) => {
    const value = object[key]
    // JSON.stringify leaves out what is undefined.
    object[key] = optional && (value === null || value === false) ? undefined : changed(value)
  }
}
