import { ButtonLink, classes, Page, Section } from '../../ui/index.ts'
import { Empty } from '../../ui/reads.ts'
import { Address, Link } from '../../ui/values.ts'
import { type Owner, WithOwner } from '../../wallet/own-agent.tsx'
import { CHECKS } from './checks.ts'
import { VerifyCredentialDocument } from './page.generated.ts'
import css from './page.module.css'
import { Verify } from './verify.tsx'

const EXAMPLE = `registry.sessions.use(token)
const result = await registry.credentials.verify(pda, { credentialUrl: 'https://example.org/credential.json' }, { token })
console.log(result.checks)`

export default function CredentialsPage() {
  return (
    <Page
      title="Verify a credential"
      lead="A credential is a signed statement about an agent, for example of an auditor. Verify one for your agent. If it is hosted and valid, everybody sees it on the page of the agent."
      request={{
        needsSession: true,
        document: VerifyCredentialDocument,
        variables: {
          pda: 'ADDRESS OF YOUR AGENT',
          source: { credentialUrl: 'https://example.org/credential.json' },
        },
        client: EXAMPLE,
      }}
    >
      <div className={classes('columns', css.columns)}>
        <WithOwner need="session" why="Sign in as the owner of the agent" content={OwnCredential} />
        <Explained />
      </div>
    </Page>
  )
}

function OwnCredential({ agent }: Owner) {
  if (agent === null)
    return (
      <Empty title="Your wallet has no agent">
        <p>
          Credentials are about agents, and only the owner of an agent can verify them. Register an agent, or
          sign in with the wallet that owns it.
        </p>
        <ButtonLink to="/register" look="primary">
          Register an agent
        </ButtonLink>
      </Empty>
    )
  return (
    <div className="stack">
      <p className="row">
        For <Link href={`/agents/${agent.pda}`}>{agent.name}</Link>{' '}
        <Address value={agent.pda} label="agent address" />
        <span className="hint">
          with the DID <Address value={agent.did} label="DID" />
        </span>
      </p>
      <Verify agent={agent} />
    </div>
  )
}

function Explained() {
  return (
    <Section
      title="What is checked"
      lead="Six checks, and the last one for a credential that has a status list."
    >
      <ol className="stack">
        {Object.values(CHECKS).map(({ title, text }) => (
          <li key={title}>
            <h3>{title}</h3>
            <p className="hint">{text}</p>
          </li>
        ))}
      </ol>
    </Section>
  )
}
