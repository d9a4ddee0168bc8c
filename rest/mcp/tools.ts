import type { CallToolResult, ResourceLink, Tool as ListedTool } from '@modelcontextprotocol/server'
import { type ASTNode, getNamedType, visit } from 'graphql'
import { createGraphQLContext, type RequestContext } from '../../schema/context.ts'
import { operationUnits } from '../../schema/operation-cost.ts'
import { purposeOf } from '../../schema/policy.ts'
import { schemaOfTexts } from '../../schema/variants.ts'
import { DomainError } from '../../src/domain/errors.ts'
import { knownError } from '../../src/domain/known-error.ts'
import { booleanParameter, enumParameter, optional } from '../../src/domain/parameters.ts'
import { visible } from '../../src/domain/quoted.ts'
import type { Caller } from '../../src/identity/sessions/sessions.ts'
import type { Logger } from '../../src/platform/logger.ts'
import type { Priority } from '../../src/platform/overload/admission.ts'
import type { Services } from '../../src/compose/services.ts'
import { bodyReader } from '../contract/readers.ts'
import type { Json } from '../contract/shapes.ts'
import { type Operation, operations, type Tool as Declared, TOOLSETS } from '../documents/documents.ts'
import { argumentsOf, parameterSpelling } from '../documents/endpoints.ts'
import { objectOf } from '../documents/json-schema.ts'
import { isBody, responseSchema, rootFields, type Selected } from '../documents/responses.ts'
import { operation as compile } from '../execute.ts'
import { bodyWriter } from '../response-text.ts'

/** URIs of agents begin with it. Their address follows. */
export const AGENT = 'agent://'

/** The client that a server belongs to. */
export interface McpContext {
  readonly services: Services
  readonly clientIp: string
  readonly logger: Pick<Logger, 'error'>
  /** Throws RATE_LIMITED and the errors of wallet auth. */
  readonly authenticate: () => Promise<Caller>
  /** `modern`: protocol 2026-07-28 and later. */
  readonly era: 'legacy' | 'modern'
  /**
   * Counts a call as in flight until the result is called. Throws OVERLOADED. Absent if the request
   * counts until then, also if its client disconnects.
   */
  readonly admit?: (priority: Priority) => () => void
}

type Values = Record<string, unknown>

/** Integers of 64 bits are text, as in /graphql. */
const schema = schemaOfTexts()

/** Runs an operation with the units and limits of /graphql. Throws what clients may see. */
export function runnerOf<Result>(
  operation: Operation,
  priority: Priority,
  toResult: (body: Values, context: McpContext) => Result,
): (given: Values, context: McpContext) => Promise<Result> {
  const run = compile<Values, Values>(operation.document, 'jit', schema)
  const write = bodyWriter(rootFields(keepingNulls(operation)))
  const { defaults, toVariables } = argumentsOf(operation)
  const fragmentOf = (name: string) => operation.fragments.get(name)
  return async (given, context) => {
    const { services, clientIp, authenticate, admit, logger } = context
    let done: (() => void) | undefined
    try {
      done = admit?.(priority)
      const variables = toVariables({ ...defaults, ...given })
      const { rateLimits } = services
      rateLimits.charge(clientIp, operationUnits(operation.definition, fragmentOf, variables), { paid: 1 })
      const count: RequestContext['count'] = (kind) => rateLimits.count(kind, clientIp)
      const data = await run(createGraphQLContext(services, { clientIp, authenticate, count }), variables)
      return toResult(JSON.parse(write(data)) as Values, context)
    } catch (error) {
      const known = knownError(error)
      if (known === null) logger.error({ err: error, operation: operation.name }, 'an MCP call failed')
      throw known ?? new DomainError('INTERNAL_SERVER_ERROR')
    } finally {
      done?.()
    }
  }
}

/** Results of tools have all members: models read null better than nothing. */
function keepingNulls(operation: Operation): Operation {
  const drop = <Node extends ASTNode>(node: Node): Node =>
    visit<Node>(node, { Directive: ({ name }) => (name.value === 'optional' ? null : undefined) })
  const fragments = Array.from(operation.fragments, ([name, each]) => [name, drop(each)] as const)
  return { ...operation, definition: drop(operation.definition), fragments: new Map(fragments) }
}

const ADVICE: Readonly<Partial<Record<Declared['effect'], string>>> = {
  PREPARE: ' Let the owner sign serializedTx, then call submit_transaction.',
  SEND: ' If the result is lost, the transaction may have been sent: call transaction_status with the id. While the status is simulated, repeat this call with the same arguments. Never prepare it again before the status is failed with another error than outcome_unknown.',
}

/** Clients use the hints to decide whether to ask their user first (rest/directives.graphql). */
const hintsOf = (effect: Declared['effect']): ListedTool['annotations'] => ({
  readOnlyHint: effect === 'READ',
  destructiveHint: effect === 'SEND',
  idempotentHint: effect !== 'PREPARE',
  openWorldHint: effect === 'ATTACH' || effect === 'SEND',
})

const priorityOf = ({ effect }: Declared): Priority => (effect === 'SEND' ? 'high' : 'low')

type Tool = ReturnType<typeof toTool>

/** A tool of MCP. It is built once per process. */
function toTool(operation: Operation, declared: Declared) {
  const { name, title, effect } = declared
  const fields = rootFields(operation)
  const { inputs } = argumentsOf(operation)
  const inputSchema = forModels(objectOf(inputs), DETAILS)
  const read = argumentsReader(inputSchema)
  const spell = parameterSpelling(inputs)
  const run = runnerOf(operation, priorityOf(declared), (result, { era }): CallToolResult => {
    // The text may be put into a conversation as it is, with names that others chose.
    const content = { type: 'text' as const, text: visible(JSON.stringify(result)) }
    const data = isBody(fields) ? { [fields[0]!.name]: result } : result
    // Clients of the first protocol versions refuse types of content that they do not know.
    const links = era === 'modern' ? fields.flatMap((each) => linksIn(each, data[each.name])) : []
    return { content: [content, ...links], structuredContent: result }
  })
  /** As clients see it. */
  const listed: ListedTool = {
    name,
    title,
    description: `${textOf(operation, declared, fields)}${ADVICE[effect] ?? ''}`,
    inputSchema: { type: 'object', ...inputSchema },
    annotations: hintsOf(effect),
    outputSchema: forModels(responseSchema(keepingNulls(operation)), []),
  }
  return {
    listed,
    declared,
    call: async (given: Values, context: McpContext): Promise<CallToolResult> => {
      try {
        return await run(read(given), context)
      } catch (error) {
        return toolError(error as DomainError, spell)
      }
    },
  }
}

function textOf(operation: Operation, { description }: Declared, [field]: readonly Selected[]): string {
  const written = [operation.summary, operation.description].filter((text) => text !== '').join('. ')
  // The texts of the service's endpoints name paths of REST.
  const usesWritten = (operation.rest === null || operation.isOperators) && written !== ''
  return description ?? (usesWritten ? written : purposeOf(field!.field))
}

/** What models need to know of arguments. Of results, names and types are enough. */
const DETAILS = ['description', 'additionalProperties', 'required', 'minimum', 'maximum', 'default', 'enum']

/** Models read all schemas in each conversation: no names of OpenAPI, examples and patterns. */
function forModels(schema: Json, details: readonly string[]): Json {
  const { oneOf, anyOf = oneOf, properties, items, format, type } = schema
  const inner = (each: unknown): Json => forModels(each as Json, details)
  const members = {
    ...Object.fromEntries(details.map((name) => [name, schema[name]])),
    type: format !== 'uint64' ? type : Array.isArray(type) ? ['string', 'null'] : 'string',
    items: items && inner(items),
    anyOf: Array.isArray(anyOf) ? anyOf.map(inner) : undefined,
    properties:
      properties && Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, inner(each)])),
  }
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}

/** Refuses other arguments as REST does: a misspelled filter must not look like no filter. */
function argumentsReader(schema: Json): (given: Values) => Values {
  const read = bodyReader(schema, { refusesOtherLists: true })
  const { required = [] } = schema as { required?: readonly string[] }
  return (given) => {
    const result = read(given)
    if ('error' in result) throw result.error
    const values = result.value as Values
    const missing = required.find((name) => !Object.hasOwn(values, name))
    if (missing !== undefined) throw new DomainError('FIELD_REQUIRED', { parameter: missing })
    return values
  }
}

/** Links to the agents in the value of a field. */
function linksIn(selected: Selected, value: unknown): ResourceLink[] {
  if (Array.isArray(value)) return value.flatMap((each) => linksIn(selected, each))
  const { field, inner } = selected
  if (inner === null || value === null) return []
  const object = value as Record<string, string>
  const links = inner.flatMap((each) => linksIn(each, object[each.name]))
  const { pda, name } = Object.fromEntries(inner.map((each) => [each.field.name, object[each.name]]))
  if (getNamedType(field.type).name !== 'Agent' || pda === undefined || name === undefined) return links
  const about = { name: visible(name), mimeType: 'application/json' }
  return [{ type: 'resource_link', uri: AGENT + pda, ...about }, ...links]
}

function toolError(error: DomainError, spell: (parameter: string) => string): CallToolResult {
  const { code, status, addition } = error
  const lines = [error.messageNaming(spell), addition.message, ...(addition.logs ?? [])]
  const text = lines
    .filter((line) => line !== undefined)
    .map(visible)
    .join('\n')
  return { isError: true, content: [{ type: 'text', text }], _meta: { code, status } }
}

/** The operations with the directive `@tool`. */
export function toolsOf(all: Iterable<Operation>): Tool[] {
  return Array.from(all).flatMap((each) => (each.tool === null ? [] : toTool(each, each.tool)))
}

const readToolset = enumParameter(TOOLSETS.map((each) => each.toLowerCase()))

/**
 * The tools that a client asks for: `?toolsets=agents,webhooks`, and `?readonly=true` for those
 * that change nothing. Throws INVALID_ENUM and INVALID_BOOLEAN.
 */
export function chosenTools(tools: readonly Tool[], url: string): Tool[] {
  const { readonly, toolsets } = Object.fromEntries(new URL(url, 'http://localhost').searchParams)
  const readOnly = optional(booleanParameter, 'readonly', readonly) ?? false
  const wanted = toolsets?.split(',').map((each) => readToolset('toolsets', each).toUpperCase()) ?? TOOLSETS
  return tools.filter(
    ({ declared: { effect, toolset } }) => (!readOnly || effect === 'READ') && wanted.includes(toolset),
  )
}

export const TOOLS: readonly Tool[] = toolsOf(operations.values())

/** The priority of an MCP message under overload: high if it calls a tool that sends. */
export function messagePriority(message: unknown): Priority {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: { name?: unknown } | null }
  const tool = method === 'tools/call' && TOOLS.find(({ listed }) => listed.name === params?.name)
  return tool ? priorityOf(tool.declared) : 'low'
}
