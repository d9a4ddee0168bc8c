import {
  getNamedType,
  type GraphQLField,
  type GraphQLInputObjectType,
  Kind,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { schema } from '../../schema/index.ts'
import { directiveOf, type Operation, operations, type Rest } from './documents.ts'
import type { Target } from './json-schema.ts'

export type Targets = Readonly<Record<string, Target>>

/** An operation as an endpoint: where each of its variables is in a request. */
export interface Endpoint extends Operation {
  readonly rest: Rest
  /** The first root field. Its policies are those of the endpoint. */
  readonly field: GraphQLField<unknown, unknown>
  readonly path: Targets
  readonly query: Targets
  /** The members of the body. Null without a body. */
  readonly body: Targets | null
  /** The variable that is the whole body. Null if the members are variables. */
  readonly bodyVariable: string | null
  /** The descriptions of variables, where they differ from those of the schema. */
  readonly texts: Readonly<Record<string, string>>
}

export const endpoints: readonly Endpoint[] = [...operations.values()].flatMap(
  (each) => toEndpoint(each) ?? [],
)

/** Null for an operation of a route that is written by hand. */
function toEndpoint(operation: Operation): Endpoint | null {
  const { name, rest, definition } = operation
  if (rest === null) return null
  const variables = definition.variableDefinitions ?? []
  const targets = targetsOf(operation)
  const inPath = Array.from(rest.path.matchAll(/\{(\w+)\}/g), ([, parameter]) => parameter!)
  const missing = inPath.find((parameter) => targets[parameter] === undefined)
  if (missing !== undefined) throw new Error(`${name} has no variable $${missing}, which its path names`)
  const whole = variables.find((each) => directiveOf('body', each) !== null)?.variable.name.value ?? null
  const pick = (filter: (parameter: string) => boolean): Targets =>
    Object.fromEntries(Object.entries(targets).filter(([parameter]) => filter(parameter)))
  const others = pick((parameter) => !inPath.includes(parameter) && parameter !== whole)
  const hasQuery = rest.method === 'GET' || rest.method === 'DELETE'
  const members = whole === null ? others : membersOf(targets[whole]!)
  return {
    ...operation,
    rest,
    field: firstField(operation),
    path: pick((parameter) => inPath.includes(parameter)),
    query: hasQuery ? others : {},
    body: hasQuery || Object.keys(members).length === 0 ? null : members,
    bodyVariable: whole,
    texts: Object.fromEntries(
      variables.flatMap(({ variable, description }) =>
        description === undefined ? [] : [[variable.name.value, description.value]],
      ),
    ),
  }
}

function firstField({ name, definition }: Operation): Endpoint['field'] {
  const [node] = definition.selectionSet.selections
  if (node?.kind !== Kind.FIELD) throw new Error(`${name} must select a field`)
  return schema.getField(schema.getRootType(definition.operation)!, node.name.value)!
}

function membersOf({ type }: Target): Targets {
  return (getNamedType(type) as GraphQLInputObjectType).getFields()
}

/** The argument, or the member of an input object, that each variable fills. */
function targetsOf({ definition }: Operation): Targets {
  const types = new TypeInfo(schema)
  const targets: Record<string, Target> = {}
  visit(
    definition,
    visitWithTypeInfo(types, {
      Variable: ({ name: { value: variable } }, _key, parent) => {
        if (parent === undefined || !('kind' in parent)) return
        if (parent.kind === Kind.ARGUMENT) targets[variable] = types.getArgument()!
        if (parent.kind === Kind.OBJECT_FIELD) {
          const input = getNamedType(types.getParentInputType()) as GraphQLInputObjectType
          targets[variable] = input.getFields()[parent.name.value]!
        }
      },
    }),
  )
  const inOrder = (definition.variableDefinitions ?? []).map(({ variable }) => variable.name.value)
  return Object.fromEntries(inOrder.map((name) => [name, targets[name]!]))
}
