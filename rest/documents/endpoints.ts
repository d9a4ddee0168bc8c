import {
  getNamedType,
  isInputObjectType,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  typeFromAST,
  type VariableDefinitionNode,
  valueFromAST,
} from 'graphql'
import type { Priority } from '../../src/platform/overload/admission.ts'
import { schema } from '../../schema/index.ts'
import { directiveOf, mistake, type Operation, operations, type Rest, targetsOf } from './documents.ts'
import type { Input } from './json-schema.ts'
import { rootFields } from './responses.ts'

export type Inputs = Readonly<Record<string, Input>>

type Arguments = ReturnType<typeof argumentsOf>
type Values = Record<string, unknown>

/** An operation as an endpoint: where each of its values is in a request. */
export interface Endpoint extends Operation, Arguments {
  readonly rest: Rest
  readonly policy: ReturnType<typeof policyOf>
  readonly path: Inputs
  readonly query: Inputs
  /** The members of the body. Null without a body. */
  readonly body: Inputs | null
}

/**
 * Errors name parameters as the document does, and not as the argument that they fill, unless two
 * of them fill arguments of one name.
 */
export function parameterSpelling(inputs: Inputs): (parameter: string) => string {
  const byArgument = Map.groupBy(Object.entries(inputs), ([, input]) => input.name)
  const names = new Map(
    Array.from(byArgument, ([argument, same]) => [argument, same.length === 1 ? same[0]![0] : argument]),
  )
  return (parameter) => names.get(parameter) ?? parameter
}

export const endpoints: readonly Endpoint[] = [...operations.values()].flatMap(
  (each) => toEndpoint(each) ?? [],
)

/** Null for an operation that is no endpoint, or that of a route that is written by hand. */
export function toEndpoint(operation: Operation): Endpoint | null {
  const { rest, definition } = operation
  if (rest === null) return null
  const given = argumentsOf(operation)
  const inPath = Array.from(rest.path.matchAll(/\{(\w+)\}/g), ([, name]) => name!)
  const missing = inPath.find((name) => given.inputs[name] === undefined)
  if (missing !== undefined)
    throw mistake(`Its path names {${missing}}, but it has no variable $${missing}`, definition)
  const pick = (isWanted: (name: string) => boolean): Inputs =>
    Object.fromEntries(Object.entries(given.inputs).filter(([name]) => isWanted(name)))
  const others = pick((name) => !inPath.includes(name))
  const hasQuery = rest.method === 'GET' || rest.method === 'DELETE'
  if (hasQuery && given.bodyVariable !== null)
    throw mistake('@body needs the method POST or PATCH', definition)
  const inUrl = Object.entries(hasQuery ? given.inputs : pick((name) => inPath.includes(name)))
  const object = inUrl.find(([, { type }]) => isInputObjectType(getNamedType(type)))
  if (object !== undefined)
    throw mistake(
      `$${object[0]} is an object, which a URL cannot have. Use a variable for each member`,
      definition,
    )
  return {
    ...operation,
    ...given,
    rest,
    policy: policyOf(operation),
    path: pick((name) => inPath.includes(name)),
    query: hasQuery ? others : {},
    body: hasQuery || Object.keys(others).length === 0 ? null : others,
  }
}

/** What the fields of an operation say together (schema/policy.ts). */
export function policyOf(operation: Operation) {
  const all = rootFields(operation).map(({ field }) => field.extensions)
  const logins = all.flatMap((each) => each.login ?? [])
  if (logins.includes('operator'))
    throw mistake('Fields of the operator are only at /graphql', operation.definition)
  const priority: Priority = all.every((each) => each.priority === 'high') ? 'high' : 'low'
  return {
    login: logins.find((each) => each !== 'operator'),
    priority,
    readsTables: all.every((each) => each.readsTables === true),
    errors: [...new Set(all.flatMap(({ errors = [] }) => errors))],
  }
}

/** The values that an operation takes. */
export function argumentsOf({ definition }: Operation) {
  const targets = targetsOf(definition)
  const variables = definition.variableDefinitions ?? []
  const bodyDefinition = variables.find((each) => directiveOf('body', each) !== null)
  const bodyVariable = bodyDefinition?.variable.name.value ?? null
  const bodyType = bodyDefinition && objectTypeOf(targets.get(nameOf(bodyDefinition))!)
  const members = bodyType?.getFields() ?? {}
  const others = variables.filter((each) => each !== bodyDefinition)
  const unplaced = variables.find((each) => !targets.has(nameOf(each)))
  if (unplaced !== undefined)
    throw mistake(
      `$${nameOf(unplaced)} must be an argument of the operation, or a member of one, outside of fragments and lists`,
      unplaced,
    )
  const inputs: Inputs = {
    ...Object.fromEntries(others.map((each) => [nameOf(each), toInput(each, targets.get(nameOf(each))!)])),
    ...members,
  }
  const defaults: Readonly<Values> = Object.fromEntries(
    others.flatMap((each) =>
      each.defaultValue === undefined ? [] : [[nameOf(each), inputs[nameOf(each)]!.defaultValue]],
    ),
  )
  const toVariables = (values: Values): Values => {
    if (bodyVariable === null) return values
    const given = (isMember: boolean) =>
      Object.fromEntries(Object.entries(values).filter(([name]) => Object.hasOwn(members, name) === isMember))
    return { ...given(false), [bodyVariable]: given(true) }
  }
  return {
    /** The variables, except that the members of the one with `@body` stand for it. */
    inputs,
    /** The variable with `@body`. Null without one. */
    bodyVariable,
    /** Whether the body must have exactly one of its members. */
    isOneOf: bodyType?.isOneOf === true,
    /** Default values of variables: graphql-jit ignores those of non-null types. */
    defaults,
    /** Makes the variables of the values. */
    toVariables,
  }
}

function nameOf({ variable }: VariableDefinitionNode): string {
  return variable.name.value
}

function objectTypeOf({ type }: Input): GraphQLInputObjectType {
  return getNamedType(type) as GraphQLInputObjectType
}

/** What the document says of a variable, and otherwise the argument that it fills. */
function toInput({ type, description, defaultValue }: VariableDefinitionNode, target: Input): Input {
  const given = typeFromAST(schema, type) as GraphQLInputType
  return {
    name: target.name,
    type: given,
    description: description?.value ?? target.description,
    defaultValue: defaultValue === undefined ? target.defaultValue : valueFromAST(defaultValue, given),
    extensions: target.extensions,
  }
}
