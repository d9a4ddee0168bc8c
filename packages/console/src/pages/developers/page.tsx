import { useQuery } from 'urql'
import { apiUrl, gatewayUrl } from '../../api/base.ts'
import { networkName } from '../../api/enums.ts'
import { ConsoleInfoDocument } from '../../api/service.generated.ts'
import { CodeBlock, CodeTabs, Link, Page, Section } from '../../ui/index.ts'

const RESOURCES = [
  [
    'REST reference',
    'docs',
    'Every endpoint, with parameters, responses and errors. You can try them in the page.',
  ],
  ['GraphiQL', 'graphql', 'Write GraphQL queries with completion, and run them against this service.'],
  ['GraphQL schema (SDL)', 'graphql/schema.graphql', 'For code generators and editors.'],
  ['OpenAPI document', 'openapi.json', 'OpenAPI 3.1, for code generators.'],
  ['Program interface (IDL)', 'idl.json', 'The Anchor IDL of the registry program on Solana.'],
] as const

export default function DevelopersPage() {
  const [{ data }] = useQuery({ query: ConsoleInfoDocument })
  return (
    <Page
      title="Developers"
      lead="Everything that this console does, your program can do. The console uses only GraphQL and the client package."
      request={{ document: ConsoleInfoDocument, client: "console.log(await registry.call('getInfo', {}))" }}
    >
      <div className="stack">
        <Section title="Interfaces">
          <ul className="grid">
            {RESOURCES.map(([title, path, text]) => (
              <li key={path}>
                <h3>
                  <a href={apiUrl(path)}>{title}</a>
                </h3>
                <p className="hint">{text}</p>
                <code className="note">{apiUrl(path)}</code>
              </li>
            ))}
          </ul>
        </Section>
        <Section title="Connect an AI agent by MCP">
          <p>
            AI agents can search the registry, check other agents, and prepare transactions. They never see a
            private key: the owner signs outside. Add this to the configuration of your MCP client.
          </p>
          <CodeTabs label="MCP client" codes={MCP_CONFIGURATIONS} />
        </Section>
        <Section title="The client package">
          <p>
            <code>@agent-registry/client</code> has no dependencies and runs in browsers and in Node.js. It
            builds each transaction itself and lets a wallet sign only what you asked for.
          </p>
          <CodeTabs label="Task" codes={SNIPPETS} />
        </Section>
        <Section title="Webhooks">
          <p>
            The service can call your server when agents change.{' '}
            <Link href="/webhooks">Create a webhook</Link>, or look at{' '}
            <Link href="/events">all events with example payloads</Link> and the code that verifies a
            signature.
          </p>
        </Section>
        {data !== undefined && (
          <Section title="Values for your program">
            <CodeBlock
              label="Environment"
              code={`GATEWAY=${gatewayUrl}\nNETWORK=${networkName(data.info.network)}\nREGISTRY_PROGRAM=${data.info.program}`}
            />
          </Section>
        )}
      </div>
    </Page>
  )
}

const url = `${gatewayUrl}/mcp`
/** How popular MCP clients are connected to this gateway. */
const MCP_CONFIGURATIONS: Record<string, string> = {
  'Most clients': JSON.stringify({ mcpServers: { 'agent-registry': { type: 'http', url } } }, null, 2),
  'VS Code': JSON.stringify({ servers: { 'agent-registry': { type: 'http', url } } }, null, 2),
  'Claude Code': `claude mcp add --transport http agent-registry ${url}`,
  'Try with curl': `curl ${url} -H 'content-type: application/json' \\
  -H 'accept: application/json, text/event-stream' \\
  -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_agents","arguments":{"limit":1}}}'`,
}

const head = `import { createRegistry } from '@agent-registry/client'

const registry = createRegistry('${gatewayUrl}')
`
/** Programs with the client package. */
const SNIPPETS: Record<string, string> = {
  Read: `${head}for await (const agent of registry.agents.list({ tier: 'premium', sort: 'reputation' }))
  console.log(agent.name, agent.reputation_score)`,
  'Follow events': `${head}for await (const event of registry.events({ types: ['agent.registered'] }))
  console.log(event.type, event.agentPda)`,
  Register: `import { createRegistry, generateSigner } from '@agent-registry/client'

const registry = createRegistry('${gatewayUrl}')
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
