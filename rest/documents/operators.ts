import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { GraphQLError, OperationTypeNode, Source } from 'graphql'
import { type Json, NAME } from '../contract/shapes.ts'
import { OperatorError } from '../../src/platform/process/operator-error.ts'
import { checkDocumentSize } from '../../schema/document-size.ts'
import { operationUnits } from '../../schema/operation-cost.ts'
import { type Fragments, load, mistake, type Operation, operations } from './documents.ts'
import { argumentsOf, policyOf, toEndpoint } from './endpoints.ts'
import { responseSchema } from './responses.ts'

const PREFIX = '/x/'
/** Of the units that a client has per minute by default, a tenth. */
const MAX_UNITS = 60

/**
 * The operations that the operator has written: all `*.graphql` files of a folder. They can use the
 * fragments of rest/. Throws OperatorError with file and line for a mistake, and for what only our
 * own documents may do.
 */
export function loadOperators(folder: string): Operation[] {
  if (!existsSync(folder)) throw new OperatorError(`The folder ${folder} of OPERATIONS_DIR does not exist`)
  const sources = globSync('**/*.graphql', { cwd: folder })
    .toSorted()
    .map((file) => new Source(readFileSync(join(folder, file), 'utf8'), file))
  try {
    const loaded = Array.from(load(sources, fragmentsOf(operations)).values(), (each) => {
      check(each)
      return { ...each, isOperators: true }
    })
    checkModels([...operations.values(), ...loaded])
    return loaded
  } catch (error) {
    // A GraphQLError shows its place only as text.
    throw new OperatorError(error instanceof GraphQLError ? error.toString() : (error as Error).message)
  }
}

const TOOL_NAMES = new Set(Array.from(operations.values(), ({ tool }) => tool?.name))

const fragmentsOf = (all: ReadonlyMap<string, Operation>): Fragments =>
  new Map(Array.from(all.values()).flatMap(({ fragments }) => Array.from(fragments)))

function check(operation: Operation): void {
  const { name, definition, document, rest, tool } = operation
  const refuse = (problem: string): never => {
    throw mistake(problem, definition)
  }
  if (operations.has(name)) refuse('The service has an operation of this name')
  if (definition.operation !== OperationTypeNode.QUERY) refuse('Only queries can be endpoints and tools')
  if (rest === null && tool === null) refuse('It needs @rest or @tool')
  if (tool !== null && tool.effect !== 'READ') refuse('The effect of a query is READ')
  if (tool !== null && TOOL_NAMES.has(tool.name)) refuse(`The service has the tool ${tool.name}`)
  if (rest !== null && !rest.path.startsWith(PREFIX)) refuse(`Its path must begin with ${PREFIX}`)
  if (
    rest !== null &&
    (rest.method !== 'GET' || rest.exempt != null || rest.anyQuery || rest.bodyLimit != null)
  )
    refuse('Of @rest it can set path, tag, status and store')
  checkDocumentSize(document)
  const units = operationUnits(definition, (fragment) => operation.fragments.get(fragment))
  if (units > MAX_UNITS)
    refuse(`It costs ${units} units with its default values, at most ${MAX_UNITS} are allowed`)
  // These throw for what cannot be read or described.
  policyOf(operation)
  if (rest === null) argumentsOf(operation)
  else toEndpoint(operation)
  if (responseSchema(operation)['type'] !== 'object')
    refuse('Its only field is no object. Give the field an alias, so that it becomes a member of one')
}

/** Objects of one name in OpenAPI must be equal. */
function checkModels(all: readonly Operation[]): void {
  const known = new Map<string, string>()
  const look = (schema: unknown, { definition }: Operation): void => {
    if (typeof schema !== 'object' || schema === null) return
    const { [NAME]: name } = schema as Json
    const text = JSON.stringify(schema)
    if (typeof name === 'string' && (known.get(name) ?? text) !== text)
      throw mistake(`OpenAPI has another object ${name}. Name this one with @model`, definition)
    if (typeof name === 'string') known.set(name, text)
    for (const each of Object.values(schema)) look(each, { definition } as Operation)
  }
  for (const each of all) if (each.rest !== null) look(responseSchema(each), each)
}
