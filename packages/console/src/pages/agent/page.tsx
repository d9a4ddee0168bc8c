import { useState } from 'react'
import { useQuery, useSubscription } from 'urql'
import { useParams } from 'wouter'
import { useSocket } from '../../api/connection.ts'
import { capabilityNames } from '../../api/enums.ts'
import { describeEvent } from '../../events/describe.ts'
import { LiveEventsDocument } from '../../events/events.generated.ts'
import { ADDRESS } from '../../shell/find.ts'
import { Amount, formatUnits } from '../../ui/amount.tsx'
import { Light, Status, Tier, words } from '../../ui/badge.tsx'
import { ButtonLink, clientCode, CodeTabs, DialogButton, Page, ShowRequest } from '../../ui/index.ts'
import { Empty, Loaded, useRead, useVisible } from '../../ui/reads.ts'
import { skipTypes } from '../../ui/export.tsx'
import { Facts, Figures, Section } from '../../ui/section.tsx'
import { Address, Link, RelativeTime, withCommas } from '../../ui/values.ts'
import { CardSection } from './card-section.tsx'
import { CredentialsSection } from './credentials-section.tsx'
import { Activity, Charts } from './history.tsx'
import { AgentDetailsDocument, type AgentDetailsQuery, AgentDidDocument } from './page.generated.ts'
import css from './page.module.css'

export type Agent = NonNullable<AgentDetailsQuery['agent']>

export default function AgentPage() {
  const { pda = '' } = useParams()
  // Another agent is another page: nothing of the last one stays.
  return <OneAgent key={pda} pda={pda} />
}

function OneAgent({ pda }: { readonly pda: string }) {
  const variables = { pda }
  const isAddress = ADDRESS.test(pda)
  const read = useRead({ query: AgentDetailsDocument, variables, pause: !isAddress })
  const { data, error } = read
  const agent = data?.agent
  const newest = data?.registryEvents.nodes[0]?.id
  if (agent)
    return (
      <Page
        title={agent.name}
        lead={
          <span className="row">
            <Status value={agent.status} />
            <span>{words(agent.serviceCategory)}</span>
            <Address value={pda} label="agent address" />
          </span>
        }
        actions={
          <>
            <LiveUpdates pda={pda} after={newest} />
            <ShowRequest document={AgentDetailsDocument} variables={variables} client={exampleFor(pda)} />
            <DialogButton look="quiet" label="Raw data" title="Raw data">
              {() => <Documents agent={agent} />}
            </DialogButton>
            <ButtonLink to={`/live?agent=${pda}`}>Watch events</ButtonLink>
          </>
        }
      >
        <div className="stack">
          <Summary agent={agent} />
          <div className="columns">
            <div className="stack">
              <CardSection agent={agent} />
              <Charts agent={agent} />
            </div>
            <div className="stack">
              <IdentitySection agent={agent} />
              <StakeSection agent={agent} config={data.registryConfig} />
              <CredentialsSection agent={agent} />
            </div>
          </div>
          <Activity pda={pda} />
        </div>
      </Page>
    )
  if (error === undefined && newest !== undefined)
    return (
      <Page
        title="Closed agent"
        lead={<Address value={pda} label="agent address" />}
        request={{ document: AgentDetailsDocument, variables, client: historyOf(pda) }}
      >
        <div className="stack">
          <p>This agent was closed. Its account is not on the ledger any more. Its history stays.</p>
          <Activity pda={pda} />
        </div>
      </Page>
    )
  return (
    <Page title="Agent">
      <Loaded read={read} data={isAddress ? data : pda} rows={10} label="Loading the agent">
        {() => (
          <Empty title="No agent has this address">
            <p>{pda} is not the address of an agent. Perhaps it is the address of something else.</p>
            <Link href="/agents">See all agents</Link>
          </Empty>
        )}
      </Loaded>
    </Page>
  )
}

/** What a reader asks first. The sections below have the reasons. */
function Summary({ agent }: { readonly agent: Agent }) {
  const { reputationScore, stake, tier, card, credentials } = agent
  const verified = credentials.nodes.filter(({ proofVerified }) => proofVerified).length
  return (
    <Figures
      figures={{
        Reputation: `${withCommas(reputationScore)} of 1,000`,
        Tier: <Tier value={tier} />,
        Stake: stake === null ? 'None' : <Amount value={stake.depositedAmount} unit="usdc" />,
        'Trusted credentials': verified,
        'Agent card': words(card.state),
      }}
    />
  )
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

interface StakeProps {
  readonly agent: Agent
  readonly config: AgentDetailsQuery['registryConfig']
}

/** The stake, what it gives, and when a requested withdrawal can be paid. */
function StakeSection({ agent: { stake, tier }, config }: StakeProps) {
  const counted = stake === null ? 0n : BigInt(stake.depositedAmount) - BigInt(stake.pendingWithdrawal)
  const isPending = stake !== null && stake.pendingWithdrawal !== '0'
  return (
    <Section title="Stake and tier" aside={<Tier value={tier} />}>
      {stake === null ? (
        <p className="hint">This agent has no stake. Its tier is the lowest.</p>
      ) : (
        <Facts
          facts={{
            Deposited: <Amount value={stake.depositedAmount} unit="usdc" />,
            Locked: stake.lockedAmount !== '0' && <Amount value={stake.lockedAmount} unit="usdc" />,
            'To be withdrawn': isPending && <Amount value={stake.pendingWithdrawal} unit="usdc" />,
            'Counts for the tier': isPending && <Amount value={counted} unit="usdc" />,
          }}
        />
      )}
      {stake?.withdrawal && <Withdrawal {...stake.withdrawal} />}
      {config !== null && (
        <ol className="stack tight" aria-label="Tiers and the stake that they need">
          {config.tiers.toReversed().map((each) => {
            const minimum = BigInt(each.minimumStake)
            const isCurrent = each.tier === tier
            return (
              <li key={each.tier} className={css.tier} aria-current={isCurrent ? 'true' : undefined}>
                <Tier value={each.tier} />
                <span>
                  {minimum === 0n ? 'No stake' : `From ${formatUnits(minimum, 6)} USDC`}
                  {minimum > counted && (
                    <span className="note">{formatUnits(minimum - counted, 6)} USDC more</span>
                  )}
                </span>
              </li>
            )
          })}
        </ol>
      )}
    </Section>
  )
}

type OpenWithdrawal = NonNullable<NonNullable<Agent['stake']>['withdrawal']>

function Withdrawal({ amount, requestedAt, completableAt }: OpenWithdrawal) {
  const [now] = useState(Date.now)
  return (
    <div className="notice" data-tone="accent">
      <p>
        The owner asked to withdraw <Amount value={amount} unit="usdc" /> <RelativeTime value={requestedAt} />
        .
      </p>
      {completableAt !== null && (
        <p>
          {Date.parse(completableAt) > now ? 'It can be paid out ' : 'It can be paid out since '}
          <RelativeTime value={completableAt} />. The owner does this on the page{' '}
          <Link href="/mine">My agent</Link>.
        </p>
      )}
    </div>
  )
}

interface LiveUpdatesProps {
  readonly pda: string
  /** The newest event that the page shows, so that none is missed in between. */
  readonly after: string | undefined
}

/** Follows the agent. The cache reads again what an event changed, so the page shows it at once. */
function LiveUpdates({ pda, after }: LiveUpdatesProps) {
  const isVisible = useVisible()
  const isConnected = useSocket()
  const [start] = useState(after)
  const variables = { filter: { agentPda: pda }, ...(start !== undefined && { after: start }) }
  const [{ data, error }] = useSubscription({ query: LiveEventsDocument, variables, pause: !isVisible })
  const event = data?.registryEvents
  const isLive = isConnected && error === undefined
  return (
    <>
      <Light tone={isLive ? 'good' : 'warn'} text={isLive ? 'Live' : 'Not live'} />
      <span role="status" className="visually-hidden">
        {event && `New: ${describeEvent(event)}`}
      </span>
    </>
  )
}

/** The data of the page as JSON, to read and to copy. */
function Documents({ agent }: { readonly agent: Agent }) {
  const [{ data, error }] = useQuery({ query: AgentDidDocument, variables: { did: agent.did } })
  const [shown, did] = [agent, data?.did?.didDocument].map((each) => JSON.stringify(each, skipTypes, 2))
  const codes = { Agent: shown ?? '', 'DID document': error?.message ?? did ?? 'Loading' }
  return <CodeTabs label="Data" codes={codes} />
}

const exampleFor = (pda: string): string => clientCode`const pda = ${pda}
const agent = await registry.agents.get(pda)
for await (const change of registry.agents.history(pda)) console.log(change)`

const historyOf = (pda: string): string =>
  clientCode`for await (const change of registry.agents.history(${pda})) console.log(change)`
