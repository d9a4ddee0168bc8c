import { useQuery } from 'urql'
import { useParams } from 'wouter'
import { readError } from '../../api/errors.ts'
import {
  ButtonLink,
  classes,
  clientCode,
  Facts,
  Figures,
  Page,
  Section,
  ShowRequest,
} from '../../ui/index.ts'
import { Empty, ErrorState, Loading } from '../../ui/reads.ts'
import { Address, Amount, Link, RelativeTime, Status, Tier, withCommas, words } from '../../ui/values.ts'
import { LiveUpdates, RawData } from './actions.tsx'
import { ActivitySection } from './activity-section.tsx'
import { capabilityNames } from '../../api/enums.ts'
import type { Agent } from './agent.ts'
import { CardSection } from './card-section.tsx'
import { ChartsSection } from './charts-section.tsx'
import { CredentialsSection } from './credentials-section.tsx'
import { AgentDetailsDocument } from './page.generated.ts'
import css from './page.module.css'
import { StakeSection } from './stake-section.tsx'

const NO_AGENT: ReadonlySet<string | null> = new Set(['AGENT_NOT_FOUND', 'INVALID_PUBKEY'])

export default function AgentPage() {
  const { pda = '' } = useParams()
  // Another agent is another page: nothing of the last one stays.
  return <OneAgent key={pda} pda={pda} />
}

function OneAgent({ pda }: { readonly pda: string }) {
  const variables = { pda }
  const [{ data, error }, refetch] = useQuery({ query: AgentDetailsDocument, variables })
  const newest = data?.registryEvents.nodes[0]?.id
  if (data?.agent)
    return (
      <Page
        title={data.agent.name}
        lead={<Lead agent={data.agent} />}
        actions={
          <>
            <LiveUpdates pda={pda} after={newest} />
            <ShowRequest document={AgentDetailsDocument} variables={variables} client={exampleFor(pda)} />
            <RawData agent={data.agent} />
            <ButtonLink to={`/live?agent=${pda}`}>Watch events</ButtonLink>
          </>
        }
      >
        <div className="stack">
          <Summary agent={data.agent} />
          <div className={css.columns}>
            <CardSection agent={data.agent} />
            <div className={classes('stack', css.side)}>
              <IdentitySection agent={data.agent} />
              <StakeSection agent={data.agent} config={data.registryConfig} />
              <CredentialsSection agent={data.agent} />
            </div>
            <div className="stack">
              <ChartsSection agent={data.agent} />
              <ActivitySection pda={pda} />
            </div>
          </div>
        </div>
      </Page>
    )
  const code = error && readError(error).code
  if (code === 'AGENT_NOT_FOUND' && newest !== undefined)
    return (
      <Page
        title="Closed agent"
        lead={<Address value={pda} label="agent address" />}
        request={{ document: AgentDetailsDocument, variables, client: historyOf(pda) }}
      >
        <div className="stack">
          <p>This agent was closed. Its account is not on the ledger any more. Its history stays.</p>
          <ActivitySection pda={pda} />
        </div>
      </Page>
    )
  return (
    <Page title="Agent">
      {code === undefined ? (
        <Loading rows={10} label="Loading the agent" />
      ) : NO_AGENT.has(code) ? (
        <Empty title="No agent has this address">
          <p>{pda} is not the address of an agent. Perhaps it is the address of something else.</p>
          <Link href="/agents">See all agents</Link>
        </Empty>
      ) : (
        <ErrorState error={error} retry={() => refetch({ requestPolicy: 'network-only' })}>
          <Link href="/agents">See all agents</Link>
        </ErrorState>
      )}
    </Page>
  )
}

function Lead({ agent: { pda, status, serviceCategory } }: { readonly agent: Agent }) {
  return (
    <span className="row">
      <Status value={status} />
      <span>{words(serviceCategory)}</span>
      <Address value={pda} label="agent address" />
    </span>
  )
}

/** What a reader asks first. The sections below have the reasons. */
function Summary({ agent }: { readonly agent: Agent }) {
  const { reputationScore, stake, tier, card, credentials } = agent
  const verified = credentials.nodes.filter(({ proofVerified }) => proofVerified).length
  const all = [
    ['Reputation', `${withCommas(reputationScore)} of 1,000`],
    ['Tier', <Tier key="tier" value={tier} />],
    ['Stake', stake === null ? 'None' : <Amount key="stake" value={stake.depositedAmount} unit="usdc" />],
    ['Trusted credentials', verified],
    ['Agent card', words(card.state)],
  ] as const
  return <Figures figures={all} />
}

function IdentitySection({ agent }: { readonly agent: Agent }) {
  const { did, owner, pda, version, capabilities, createdAt, updatedAt, rentPayer } = agent
  const names = capabilityNames(capabilities)
  return (
    <Section title="Identity">
      <Facts
        facts={{
          DID: <Address value={did} label="DID" />,
          Owner: <Address value={owner} label="owner" />,
          'Agent address': <Address value={pda} label="agent address" />,
          'Storage paid by': rentPayer !== owner && <Address value={rentPayer} label="rent payer" />,
          Version: version === '' ? 'None' : version,
          'Declares that it can': names.length === 0 ? 'Nothing declared' : names.join(', '),
          Registered: <RelativeTime value={createdAt} />,
          'Last change': <RelativeTime value={updatedAt} />,
        }}
      />
    </Section>
  )
}

const exampleFor = (pda: string): string => clientCode`const pda = ${pda}
const agent = await registry.agents.get(pda)
for await (const change of registry.agents.history(pda)) console.log(change)`

const historyOf = (pda: string): string =>
  clientCode`for await (const change of registry.agents.history(${pda})) console.log(change)`
