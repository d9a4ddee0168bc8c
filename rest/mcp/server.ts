import { McpServer, ProtocolError, ProtocolErrorCode, ResourceTemplate } from '@modelcontextprotocol/server'
import type { DomainError } from '../../src/domain/errors.ts'
import { visible } from '../../src/domain/quoted.ts'
import { operations } from '../documents/documents.ts'
import { addPrompts } from './prompts.ts'
import { AGENT, type McpContext, runnerOf, TOOLS } from './tools.ts'

const INSTRUCTIONS = `A registry of autonomous agents on Solana. Use it to find and check agents, and to send transactions of their owners.
To send a transaction: call a prepare_* tool, let the owner sign the result, then call submit_transaction. After a lost result, ask transaction_status: a second preparation could pay twice.
Public keys are base-58. Amounts are USDC base units (6 decimals).`

/** The lists are the same for all clients and change only with a new version of the service. */
const LISTS = { ttlMs: 3_600_000, cacheScope: 'public' } as const

/** An agent changes at most with each transaction, and a response may be a few seconds old. */
const cacheHint = { ttlMs: 5_000, cacheScope: 'public' } as const

const readAgent = runnerOf(operations.get('AgentResource')!, 'low', (agent): unknown => agent)
const readDid = runnerOf(operations.get('DidDocumentResource')!, 'low', ({ didDocument }) => didDocument)

const RESOURCES = [
  {
    name: 'agent',
    template: new ResourceTemplate(`${AGENT}{pda}`, { list: undefined }),
    title: 'Agent',
    description: 'An agent, by the address of its account',
    mimeType: 'application/json',
    read: (uri: string, context: McpContext) => readAgent({ pda: uri.slice(AGENT.length) }, context),
  },
  {
    name: 'did-document',
    template: new ResourceTemplate('did:sol:{owner}', { list: undefined }),
    title: 'DID Document',
    description: 'The DID Document of an agent’s owner',
    mimeType: 'application/did+ld+json',
    read: (uri: string, context: McpContext) => readDid({ did: uri }, context),
  },
]

/**
 * Creates the MCP server of one client. It uses the services and limits of REST and GraphQL. Tools
 * are built once per process, so they are not registered on each server.
 */
export function createMcpServer(context: McpContext, version: string, tools = TOOLS): McpServer {
  const mcp = new McpServer(
    { name: 'agent-registry-gateway', title: 'Agent Registry Gateway', version },
    {
      instructions: INSTRUCTIONS,
      capabilities: {
        tools: { listChanged: false },
        prompts: { listChanged: false },
        // Before 2026-07-28, subscriptions need a session, and /mcp has none.
        resources: { listChanged: false, ...(context.era === 'modern' ? { subscribe: true } : {}) },
      },
      cacheHints: {
        'server/discover': LISTS,
        'tools/list': LISTS,
        'prompts/list': LISTS,
        'resources/list': LISTS,
        'resources/templates/list': LISTS,
      },
    },
  )
  addPrompts(mcp)
  mcp.server.setRequestHandler('tools/list', () => ({ tools: tools.map(({ listed }) => listed) }))
  mcp.server.setRequestHandler('tools/call', ({ params: { name, arguments: given = {} } }) => {
    const tool = tools.find(({ listed }) => listed.name === name)
    if (tool === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Tool ${name} not found`)
    return tool.call(given, context)
  })
  for (const { name, template, read, ...about } of RESOURCES)
    mcp.registerResource(name, template, { ...about, cacheHint }, async ({ href: uri }) => {
      const value = await read(uri, context).catch(({ message, code, status }: DomainError) => {
        const type = status === 500 ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams
        throw new ProtocolError(type, message, { uri, code, status })
      })
      return { contents: [{ uri, mimeType: about.mimeType, text: visible(JSON.stringify(value)) }] }
    })
  return mcp
}
