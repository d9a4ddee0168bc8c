import { useQuery } from 'urql'
import { apiUrl, gatewayUrl } from '../../api/base.ts'
import { networkName } from '../../api/enums.ts'
import { ConsoleInfoDocument } from '../../api/service.generated.ts'
import { CodeBlock, CodeTabs, Link, Page, Section } from '../../ui/index.ts'
import { MCP_CONFIGURATIONS, SNIPPETS } from './code.ts'

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
          <CodeTabs label="MCP client" codes={MCP_CONFIGURATIONS(`${gatewayUrl}/mcp`)} />
        </Section>
        <Section title="The client package">
          <p>
            <code>@agent-registry/client</code> has no dependencies and runs in browsers and in Node.js. It
            builds each transaction itself and lets a wallet sign only what you asked for.
          </p>
          <CodeTabs label="Task" codes={SNIPPETS(gatewayUrl)} />
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
