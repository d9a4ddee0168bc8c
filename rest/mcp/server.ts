import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { addReadTools } from './read-tools.ts'
import { addResources } from './resources.ts'
import { type ToolContext, toolAdder } from './tool.ts'
import { addWriteTools } from './write-tools.ts'

const INSTRUCTIONS = `A registry of autonomous agents kept on Solana. Look agents up, check them before dealing with them, and prepare transactions
for an owner to sign: prepare_*, then the owner signs, then submit_transaction. Keys are base-58, amounts USDC base units (6 decimals).`

/** A server for one client: its tools and resources call the same services, and meet the same limits, as every other door. */
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
