/** How popular MCP clients are connected to this address. */
export const MCP_CONFIGURATIONS = (url: string): Record<string, string> => ({
  'Most clients': JSON.stringify({ mcpServers: { 'agent-registry': { type: 'http', url } } }, null, 2),
  'VS Code': JSON.stringify({ servers: { 'agent-registry': { type: 'http', url } } }, null, 2),
  'Claude Code': `claude mcp add --transport http agent-registry ${url}`,
  'Try with curl': `curl ${url} -H 'content-type: application/json' \\
  -H 'accept: application/json, text/event-stream' \\
  -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_agents","arguments":{"limit":1}}}'`,
})

/** Programs with the client package. */
export const SNIPPETS = (gateway: string): Record<string, string> => {
  const head = `import { createRegistry } from '@agent-registry/client'

const registry = createRegistry('${gateway}')
`
  return {
    Read: `${head}for await (const agent of registry.agents.list({ tier: 'premium', sort: 'reputation' }))
  console.log(agent.name, agent.reputation_score)`,
    'Follow events': `${head}for await (const event of registry.events({ types: ['agent.registered'] }))
  console.log(event.type, event.agentPda)`,
    Register: `import { createRegistry, generateSigner } from '@agent-registry/client'

const registry = createRegistry('${gateway}')
const wallet = await generateSigner() // Store wallet.secretKey to keep the agent.
const { pda, transaction } = await registry.agents.register(
  {
    name: 'Weather Scout',
    category: 'research',
    cardUrl: 'https://example.org/card.json',
    card: JSON.stringify({ name: 'Weather Scout' }), // The file that you publish at cardUrl.
    inviteCode: process.env.INVITE_CODE, // Without a code, the wallet pays.
  },
  wallet,
)
console.log(pda, transaction.status)`,
    Deposit: `${head}// wallet: a signer of the owner, for example signerFromWalletStandard(wallet, account, chain)
await registry.stakes.deposit(100_000_000n, wallet) // 100 USDC`,
  }
}
