import type { CallToolResult, McpServer, ResourceLink, ToolAnnotations } from '@modelcontextprotocol/server'
import { type ZodObject, type ZodRawShape, type output, z } from 'zod'
import { knownError } from '../../src/domain/known-error.ts'
import { visible } from '../../src/domain/quoted.ts'
import { unknownMember } from '../../src/domain/unknown-member.ts'
import type { GuardedKind } from '../../src/platform/rate-limits/kinds.ts'
import { PREPARE_UNITS } from '../../src/relay/policy.ts'
import type { Services } from '../../src/services.ts'
import type { McpContext } from './context.ts'
import { withStoredJsonSchema } from './json-schema.ts'

/** What a call can do. Clients use it to decide whether to ask their user first. */
const ANNOTATIONS = {
  /** Changes nothing. */
  read: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  /** Stores an unsigned transaction. It has no effect until its owner signs it. */
  prepare: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  /** Adds something to the caller's agent. A repeated call changes nothing. */
  attach: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  /** Sends a signed transaction to the ledger. A repeated call does not send it again. */
  send: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
} satisfies Record<string, ToolAnnotations>

interface ToolDefinition<Input extends ZodRawShape, Output extends ZodRawShape> {
  readonly title: string
  readonly description: string
  readonly effect: keyof typeof ANNOTATIONS
  /** The rate limit that counts calls. Each message also costs units. */
  readonly kind?: GuardedKind
  /** Units of a call. Default: those of a preparation, or one, which every message costs. */
  readonly units?: (input: output<ZodObject<Input>>) => number
  readonly input: Input
  readonly output: ZodObject<Output>
  readonly run: (
    services: Services,
    input: output<ZodObject<Input>>,
    client: Pick<McpContext, 'clientIp' | 'authenticate'>,
  ) => Promise<output<ZodObject<Output>>>
  /** Resources that the result describes. */
  readonly links?: (result: output<ZodObject<Output>>) => readonly ResourceLink[]
}

/** A tool that can be registered on a server. Its schemas are built once per process. */
export type Tool = (server: McpServer, context: McpContext) => void

/** Creates a tool. It counts each call, and returns errors of services as tool errors. */
export function defineTool<Input extends ZodRawShape, Output extends ZodRawShape>(
  name: string,
  definition: ToolDefinition<Input, Output>,
): Tool {
  const { title, description, effect, kind, run, links } = definition
  const { units = effect === 'prepare' ? () => PREPARE_UNITS : undefined } = definition
  const config = {
    title,
    description,
    inputSchema: withStoredJsonSchema(argumentsOf(definition.input)),
    outputSchema: withStoredJsonSchema(definition.output),
    annotations: ANNOTATIONS[effect],
  }
  return (server, context) => {
    const { services, clientIp, admit, era } = context
    const call = async (given: never): Promise<CallToolResult> => {
      let done = (): void => undefined
      try {
        done = admit(kind === 'submit' ? 'high' : 'low')
        if (kind !== undefined) await services.rateLimits.count(kind, clientIp)
        if (units !== undefined) services.rateLimits.charge(clientIp, units(given), { paid: 1 })
        const result = await run(services, given, context)
        // The text may be put into a conversation as it is, with names that others chose.
        const text = { type: 'text' as const, text: visible(JSON.stringify(result)) }
        // Clients of the first protocol versions refuse types of content that they do not know.
        const linked = era === 'modern' && links !== undefined ? links(result) : []
        return { content: [text, ...linked], structuredContent: { ...result } }
      } catch (error) {
        return toolError(error, name, context)
      } finally {
        done()
      }
    }
    server.registerTool(name, config, call as never)
  }
}

/** Other arguments are refused as in REST: a misspelled filter must not look like no filter. */
function argumentsOf(input: ZodRawShape): ZodObject {
  const known = Object.keys(input)
  return z.strictObject(input, {
    error: ({ code, keys }) =>
      code === 'unrecognized_keys' ? unknownMember(keys[0]!, keys[0]!, known).message : undefined,
  })
}

function toolError(error: unknown, tool: string, { logger }: Pick<McpContext, 'logger'>): CallToolResult {
  const known = knownError(error)
  if (known === null) {
    logger.error({ err: error, tool }, 'tool call failed')
    return { isError: true, content: [{ type: 'text', text: 'Internal server error' }] }
  }
  const { message, code, status, addition } = known
  const lines = [message, addition.message, ...(addition.logs ?? [])].filter((line) => line !== undefined)
  return {
    isError: true,
    content: [{ type: 'text', text: lines.map(visible).join('\n') }],
    _meta: { code, status },
  }
}
