import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { GraphQLError, OperationTypeNode, Source } from 'graphql'
import { OperatorError } from '../../src/platform/process/operator-error.ts'
import { checkDocumentSize } from '../../schema/document-size.ts'
import { operationUnits } from '../../schema/operation-cost.ts'
import { type Fragments, load, mistake, type Operation, operations } from './documents.ts'
import { argumentsOf, toEndpoint } from './endpoints.ts'
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
  const sources = globSync('**/*.graphql', { cwd: folder })
    .toSorted()
    .map((file) => new Source(readFileSync(join(folder, file), 'utf8'), file))
  try {
    return Array.from(load(sources, fragmentsOf(operations)).values(), (each) => {
      check(each)
      return { ...each, isOperators: true }
    })
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
  if (rest !== null && (rest.method !== 'GET' || rest.exempt || rest.anyQuery || rest.bodyLimit != null))
    refuse('Of @rest it can set path, tag, status and store')
  checkDocumentSize(document)
  const units = operationUnits(definition, (fragment) => operation.fragments.get(fragment)?.selectionSet)
  if (units > MAX_UNITS)
    refuse(`It costs ${units} units with its default values, at most ${MAX_UNITS} are allowed`)
  toEndpoint(operation)
  argumentsOf(operation)
  if (responseSchema(operation)['type'] !== 'object')
    refuse('Its only field is no object. Give the field an alias, so that it becomes a member of one')
}
