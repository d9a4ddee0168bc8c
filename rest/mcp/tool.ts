import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { type ZodObject, type ZodRawShape, type output, z } from 'zod'
import { knownError } from '../../src/domain/known-error.ts'
import { unknownMember } from '../../src/domain/unknown-member.ts'
import type { Logger } from '../../src/platform/logger.ts'
import type { Priority } from '../../src/platform/overload/priority.ts'
import type { GuardedKind } from '../../src/platform/rate-limits/kinds.ts'
import type { Services } from '../../src/services.ts'

export interface ToolContext {
  readonly services: Services
  readonly clientIp: string
  readonly logger: Pick<Logger, 'error'>
  /** Counts a call as in flight until the result is called. Throws OVERLOADED. */
  readonly admit: (priority: Priority) => () => void
}

interface ToolDefinition<Input extends ZodRawShape, Output extends ZodRawShape> {
  readonly title: string
  readonly description: string
  /** The rate limit that counts calls. Each message also costs units. */
  readonly kind?: GuardedKind
  /** Units that a call costs. Default: one, which every message costs. */
  readonly units?: (input: output<ZodObject<Input>>) => number
  readonly input: Input
  readonly output: ZodObject<Output>
  /** Calls change nothing in the service and on the ledger. */
  readonly readOnly: boolean
  readonly run: (
    services: Services,
    input: output<ZodObject<Input>>,
    clientIp: string,
  ) => Promise<output<ZodObject<Output>>>
}

export type AddTool = <Input extends ZodRawShape, Output extends ZodRawShape>(
  name: string,
  definition: ToolDefinition<Input, Output>,
) => void

/** Adds tools to a server. Counts each call, and returns errors of services as tool errors. */
export function toolAdder(server: McpServer, { services, clientIp, logger, admit }: ToolContext): AddTool {
  return (name, { title, description, kind, units, input, output, readOnly, run }) => {
    const call = async (given: never): Promise<CallToolResult> => {
      let done = (): void => undefined
      try {
        done = admit(kind === 'submit' ? 'high' : 'low')
        if (kind !== undefined) await services.rateLimits.count(kind, clientIp)
        if (units !== undefined) services.rateLimits.charge(clientIp, units(given), { paid: 1 })
        const result = await run(services, given, clientIp)
        return { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: { ...result } }
      } catch (error) {
        return toolError(error, name, logger)
      } finally {
        done()
      }
    }
    server.registerTool(
      name,
      {
        title,
        description,
        inputSchema: argumentsOf(input),
        outputSchema: output.shape,
        annotations: {
          readOnlyHint: readOnly,
          destructiveHint: false,
          idempotentHint: readOnly,
          openWorldHint: true,
        },
      },
      call as never,
    )
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

function toolError(error: unknown, tool: string, logger: Pick<Logger, 'error'>): CallToolResult {
  const known = knownError(error)
  if (known === null) {
    logger.error({ err: error, tool }, 'tool call failed')
    return { isError: true, content: [{ type: 'text', text: 'Internal server error' }] }
  }
  const { message, code, status, addition } = known
  const lines = [message, addition.message, ...(addition.logs ?? [])].filter((line) => line !== undefined)
  return {
    isError: true,
    content: [{ type: 'text', text: lines.join('\n') }],
    _meta: { code, status },
  }
}
