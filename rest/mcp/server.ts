import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { addReadTools } from './read-tools.ts'
import { addResources } from './resources.ts'
import { type ToolContext, toolAdder } from './tool.ts'
import { addWriteTools } from './write-tools.ts'

const INSTRUCTIONS = `A registry of autonomous agents on Solana. Use it to find and check agents, and to send transactions of their owners.
To send a transaction: call a prepare_* tool, let the owner sign the result, then call submit_transaction.
Public keys are base-58. Amounts are USDC base units (6 decimals).`

/** Creates the MCP server of one client. It uses the services and limits of REST and GraphQL. */
export function createMcpServer(context: ToolContext, version: string): McpServer {
  const server = new McpServer(
    { name: 'agent-registry-gateway', title: 'Agent Registry Gateway', version },
    { instructions: INSTRUCTIONS },
  )
  const add = toolAdder(server, context)
  addReadTools(add)
  addWriteTools(add)
  addResources(server, context)
  return server
}
