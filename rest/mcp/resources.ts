import { type McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js'
import { ErrorCode, McpError, type ReadResourceResult } from '@modelcontextprotocol/sdk/types.js'
import { knownError } from '../../src/domain/known-error.ts'
import { agentView } from './agent-view.ts'
import type { ToolContext } from './tool.ts'

/** The JSON-RPC code of MCP for an unknown resource. */
const RESOURCE_NOT_FOUND = -32_002

/** Offers agents and DID Documents as resources. */
export function addResources(server: McpServer, { services, logger, admit }: ToolContext): void {
  const read = async (
    uri: URL,
    mimeType: string,
    value: () => Promise<object>,
  ): Promise<ReadResourceResult> => {
    let done = (): void => undefined
    try {
      done = admit('low')
      return { contents: [{ uri: uri.href, mimeType, text: JSON.stringify(await value()) }] }
    } catch (error) {
      const known = knownError(error)
      if (known === null) {
        logger.error({ err: error, uri: uri.href }, 'reading a resource failed')
        throw new McpError(ErrorCode.InternalError, 'Internal server error')
      }
      const code = known.status === 404 ? RESOURCE_NOT_FOUND : ErrorCode.InvalidParams
      throw new McpError(code, known.message, { code: known.code, status: known.status })
    } finally {
      done()
    }
  }

  server.registerResource(
    'agent',
    new ResourceTemplate('agent://{pda}', { list: undefined }),
    {
      title: 'Agent',
      description: 'An agent, by the address of its account',
      mimeType: 'application/json',
    },
    (uri, { pda }) =>
      read(uri, 'application/json', async () => agentView(await services.agents.get(String(pda)))),
  )
  server.registerResource(
    'did-document',
    new ResourceTemplate('did:sol:{owner}', { list: undefined }),
    {
      title: 'DID Document',
      description: 'The DID Document of an agent’s owner',
      mimeType: 'application/did+ld+json',
    },
    (uri, { owner }) =>
      read(uri, 'application/did+ld+json', async () => {
        const { didDocument } = await services.dids.resolve(`did:sol:${String(owner)}`)
        const { context, ...document } = didDocument
        return { '@context': context, ...document }
      }),
  )
}
