import type {
  CallToolResult,
  McpServer,
  ResourceLink,
  StandardSchemaWithJSON,
  ToolAnnotations,
} from '@modelcontextprotocol/server'
import { type ASTNode, getNamedType, visit } from 'graphql'
import { createGraphQLContext } from '../../schema/context.ts'
import { schemaOfTexts } from '../../schema/variants.ts'
import { purposeOf } from '../../schema/policy.ts'
import { operationUnits } from '../../schema/operation-cost.ts'
import { knownError } from '../../src/domain/known-error.ts'
import { booleanParameter, enumParameter, optional } from '../../src/domain/parameters.ts'
import { visible } from '../../src/domain/quoted.ts'
import type { Priority } from '../../src/platform/overload/admission.ts'
import { bodyReader } from '../contract/body.ts'
import type { Json } from '../contract/shapes.ts'
import { type Operation, operations, TOOLSETS } from '../documents/documents.ts'
import { argumentsOf, parameterSpelling } from '../documents/endpoints.ts'
import { objectOf } from '../documents/json-schema.ts'
import { bodyOf, isBody, responseSchema, rootFields, type Selected } from '../documents/responses.ts'
import { operation as compile } from '../execute.ts'
import type { McpContext } from './context.ts'
import { agentLink } from './resources.ts'

const AFTER_LOST_RESULT =
  'If the result is lost, the transaction may have been sent: call transaction_status with the id. While the status is simulated, repeat this call with the same arguments. Never prepare it again before the status is failed with another error than outcome_unknown.'

/** Clients use the hints to decide whether to ask their user first (rest/directives.graphql). */
const EFFECTS: Readonly<Record<string, { readonly hints: ToolAnnotations; readonly advice?: string }>> = {
  READ: { hints: hints(true, false, true, false) },
  PREPARE: {
    hints: hints(false, false, false, false),
    advice: 'Let the owner sign serializedTx, then call submit_transaction.',
  },
  ATTACH: { hints: hints(false, false, true, true) },
  SEND: { hints: hints(false, true, true, true), advice: AFTER_LOST_RESULT },
}

function hints(
  readOnly: boolean,
  destructive: boolean,
  idempotent: boolean,
  openWorld: boolean,
): ToolAnnotations {
  return {
    readOnlyHint: readOnly,
    destructiveHint: destructive,
    idempotentHint: idempotent,
    openWorldHint: openWorld,
  }
}

type Values = Record<string, unknown>

/** Integers of 64 bits are text, as in /graphql. */
const toolSchema = schemaOfTexts()

/** A tool that can be registered on a server. It is built once per process. */
interface Tool {
  readonly name: string
  readonly priority: Priority
  readonly isReadOnly: boolean
  readonly toolset: string
  register(server: McpServer, context: McpContext): void
}

function toTool(operation: Operation): Tool | null {
  if (operation.tool === null) return null
  const { name, title, effect } = operation.tool
  const { hints: annotations, advice } = EFFECTS[effect]!
  const fields = rootFields(operation)
  const written = [operation.summary, operation.description].filter((text) => text !== '').join('. ')
  // The texts of the service's endpoints name paths of REST.
  const usesWritten = (operation.rest === null || operation.isOperators) && written !== ''
  const text = operation.tool.description ?? (usesWritten ? written : purposeOf(fields[0]!.field))
  const { inputs } = argumentsOf(operation)
  const spell = parameterSpelling(inputs)
  const run = toolRunner(operation)
  const config = {
    title,
    description: advice === undefined ? text : `${text} ${advice}`,
    annotations,
    inputSchema: checked(forTool(objectOf(inputs))),
    outputSchema: unchecked(typesOf(forTool(responseSchema(keepingNulls(operation))))),
  }
  const call = async (given: Values, context: McpContext): Promise<CallToolResult> => {
    let done = (): void => undefined
    try {
      done = context.admit(effect === 'SEND' ? 'high' : 'low')
      const result = await run(given, context)
      // The text may be put into a conversation as it is, with names that others chose.
      const content = { type: 'text' as const, text: visible(JSON.stringify(result)) }
      // Clients of the first protocol versions refuse types of content that they do not know.
      const data = isBody(fields) ? { [fields[0]!.name]: result } : result
      const links = context.era === 'modern' ? linksIn(fields, data) : []
      return { content: [content, ...links], structuredContent: result }
    } catch (error) {
      return toolError(error, name, context, spell)
    } finally {
      done()
    }
  }
  return {
    name,
    priority: effect === 'SEND' ? 'high' : 'low',
    isReadOnly: effect === 'READ',
    toolset: operation.tool.toolset,
    register: (server, context) =>
      server.registerTool(name, config, ((given: Values) => call(given, context)) as never),
  }
}

/** Runs an operation for a client of MCP, with the units and limits of /graphql. */
export function toolRunner(operation: Operation): (given: Values, context: McpContext) => Promise<Values> {
  const run = compile<Values, Values>(operation.document, 'jit', toolSchema)
  const toBody = bodyOf(keepingNulls(operation)) as (data: Values) => Values
  const { defaults, toVariables } = argumentsOf(operation)
  const fragmentOf = (name: string) => operation.fragments.get(name)
  return async (given, { services, clientIp, authenticate }) => {
    const variables = toVariables({ ...defaults, ...given })
    const { rateLimits } = services
    rateLimits.charge(clientIp, operationUnits(operation.definition, fragmentOf, variables), { paid: 1 })
    const count: Parameters<typeof createGraphQLContext>[1]['count'] = (kind) =>
      rateLimits.count(kind, clientIp)
    return toBody(await run(createGraphQLContext(services, { clientIp, authenticate, count }), variables))
  }
}

/** Results of tools have all members: models read null better than nothing. */
function keepingNulls(operation: Operation): Operation {
  const drop = <Node extends ASTNode>(node: Node): Node =>
    visit<Node>(node, {
      Directive: ({ name }) => (name.value === 'optional' ? null : undefined),
    })
  const fragments = Array.from(operation.fragments, ([name, each]) => [name, drop(each)] as const)
  return { ...operation, definition: drop(operation.definition), fragments: new Map(fragments) }
}

/**
 * A schema for tools. Models read all of them in each conversation, so there are no names of
 * OpenAPI, examples and patterns. Integers of 64 bits are text.
 */
function forTool(schema: Json): Json {
  const { oneOf, anyOf = oneOf, properties, items, format, type, enum: choices, ...rest } = schema
  const { description, additionalProperties, required, minimum, maximum, default: usual } = rest
  return {
    ...withoutUndefined({ description, additionalProperties, required, minimum, maximum, default: usual }),
    ...withoutUndefined({ enum: choices, type: format === 'uint64' ? textOf(type) : type }),
    ...(items === undefined ? {} : { items: forTool(items as Json) }),
    ...(Array.isArray(anyOf) ? { anyOf: anyOf.map((each) => forTool(each as Json)) } : {}),
    ...(typeof properties === 'object' ? { properties: mapValues(properties as Json, forTool) } : {}),
  }
}

/** Of results, models need no more than the names and types. */
function typesOf({ type, anyOf, properties, items }: Json): Json {
  return {
    ...withoutUndefined({ type }),
    ...(items === undefined ? {} : { items: typesOf(items as Json) }),
    ...(Array.isArray(anyOf) ? { anyOf: anyOf.map((each) => typesOf(each as Json)) } : {}),
    ...(typeof properties === 'object' ? { properties: mapValues(properties as Json, typesOf) } : {}),
  }
}

const textOf = (type: unknown): unknown => (Array.isArray(type) ? ['string', 'null'] : 'string')

const withoutUndefined = (schema: Json): Json =>
  Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined))

const mapValues = (schemas: Json, change: (schema: Json) => Json): Json =>
  Object.fromEntries(Object.entries(schemas).map(([name, each]) => [name, change(each as Json)]))

/** Refuses other arguments as REST does: a misspelled filter must not look like no filter. */
function checked(schema: Json): StandardSchemaWithJSON {
  const read = bodyReader(schema, { refusesOtherLists: true })
  const required = (schema['required'] ?? []) as readonly string[]
  return standardSchema(schema, (given) => {
    const result = read(given ?? {})
    if ('error' in result) return { issues: [{ message: result.error.message }] }
    const missing = required.find((name) => !Object.hasOwn(result.value as Values, name))
    return missing === undefined ? result : { issues: [{ message: `${missing} is required` }] }
  })
}

/** The operation has made the result, so it fits. */
const unchecked = (schema: Json): StandardSchemaWithJSON => standardSchema(schema, (value) => ({ value }))

type Validate = StandardSchemaWithJSON['~standard']['validate']

function standardSchema(schema: Json, validate: Validate): StandardSchemaWithJSON {
  const jsonSchema = () => schema as Values
  return {
    '~standard': {
      version: 1,
      vendor: 'gateway',
      validate,
      jsonSchema: { input: jsonSchema, output: jsonSchema },
    },
  }
}

/** Links to the agents of a result. */
function linksIn(fields: readonly Selected[], data: Values): ResourceLink[] {
  return fields.flatMap(({ name, field, inner }) => {
    if (inner === null) return []
    const nameOf = (wanted: string): string | undefined =>
      inner.find((each) => each.field.name === wanted)?.name
    const isAgent = getNamedType(field.type).name === 'Agent'
    const [pda, label] = isAgent ? [nameOf('pda'), nameOf('name')] : []
    const objects = [data[name]].flat().filter((each) => each !== null) as Values[]
    const links = objects.flatMap((each) =>
      pda === undefined || label === undefined ? [] : agentLink(String(each[pda]), String(each[label])),
    )
    return links.concat(objects.flatMap((each) => linksIn(inner, each)))
  })
}

function toolError(
  error: unknown,
  tool: string,
  { logger }: Pick<McpContext, 'logger'>,
  spell: (parameter: string) => string,
): CallToolResult {
  const known = knownError(error)
  if (known === null) {
    logger.error({ err: error, tool }, 'tool call failed')
    return { isError: true, content: [{ type: 'text', text: 'Internal server error' }] }
  }
  const { code, status, addition } = known
  const lines = [known.messageNaming(spell), addition.message, ...(addition.logs ?? [])].filter(
    (line) => line !== undefined,
  )
  return {
    isError: true,
    content: [{ type: 'text', text: lines.map(visible).join('\n') }],
    _meta: { code, status },
  }
}

/** The operations with the directive `@tool`. */
export function toolsOf(all: Iterable<Operation>): Tool[] {
  return Array.from(all).flatMap((each) => toTool(each) ?? [])
}

const readToolset = enumParameter(TOOLSETS.map((each) => each.toLowerCase()))

/**
 * The tools that a client asks for: `?toolsets=agents,webhooks`, and `?readonly=true` for those
 * that change nothing. Throws INVALID_ENUM and INVALID_BOOLEAN.
 */
export function chosenTools(tools: readonly Tool[], url: string): Tool[] {
  const { searchParams } = new URL(url, 'http://localhost')
  const readOnly = optional(booleanParameter, 'readonly', searchParams.get('readonly')) ?? false
  const toolsets = searchParams
    .get('toolsets')
    ?.split(',')
    .map((each) => readToolset('toolsets', each).toUpperCase())
  return tools.filter(
    (tool) => (tool.isReadOnly || !readOnly) && (toolsets === undefined || toolsets.includes(tool.toolset)),
  )
}

export const TOOLS: readonly Tool[] = toolsOf(operations.values())

const HIGH: ReadonlySet<unknown> = new Set(
  TOOLS.flatMap(({ name, priority }) => (priority === 'high' ? name : [])),
)

/** The priority of an MCP message under overload: high if it calls a tool that sends. */
export function messagePriority(message: unknown): Priority {
  if (typeof message !== 'object' || message === null) return 'low'
  const { method, params } = message as { method?: unknown; params?: { name?: unknown } | null }
  return method === 'tools/call' && HIGH.has(params?.name) ? 'high' : 'low'
}
