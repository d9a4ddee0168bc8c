import { McpServer } from '@modelcontextprotocol/server'
import type { McpContext } from './context.ts'
import { addPrompts } from './prompts.ts'
import { addResources } from './resources.ts'
import { operations } from '../documents/documents.ts'
import { toolRunner, TOOLS } from './tools.ts'

const INSTRUCTIONS = `A registry of autonomous agents on Solana. Use it to find and check agents, and to send transactions of their owners.
To send a transaction: call a prepare_* tool, let the owner sign the result, then call submit_transaction. After a lost result, ask transaction_status: a second preparation could pay twice.
Public keys are base-58. Amounts are USDC base units (6 decimals).`

const RESOURCES = {
  agent: toolRunner(operations.get('AgentResource')!),
  did: toolRunner(operations.get('DidDocumentResource')!),
}

/** The lists are the same for all clients and change only with a new version of the service. */
const LISTS = { ttlMs: 3_600_000, cacheScope: 'public' } as const

/** Creates the MCP server of one client. It uses the services and limits of REST and GraphQL. */
export function createMcpServer(context: McpContext, version: string, tools = TOOLS): McpServer {
  const server = new McpServer(
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
  for (const tool of tools) tool.register(server, context)
  addPrompts(server)
  addResources(server, context, RESOURCES)
  return server
}
