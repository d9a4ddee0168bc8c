import { useEffect, useState } from 'react'
import { useSubscription } from 'urql'
import { TransactionButton, useTransaction } from '../../transaction/use-transaction.tsx'
import { WalletBalance } from '../../transaction/wallet-balance.tsx'
import { ButtonLink, Facts, keepFocus, Page, Section } from '../../ui/index.ts'
import { Empty } from '../../ui/reads.ts'
import { Address, ExternalLink, Link, Status, Tier, withCommas } from '../../ui/values.ts'
import { useAccount } from '../../wallet/account.tsx'
import { OwnAgentDocument } from '../../wallet/own-agent.generated.ts'
import { type OwnAgent, type Owner, WithOwner } from '../../wallet/own-agent.tsx'
import { MyAgentEventsDocument } from './page.generated.ts'
import { StakeSection } from './stake-section.tsx'
import { UpdateSection } from './update-section.tsx'
import { Choice } from '../../form/form.tsx'
import type { TransactionRequest } from '../../transaction/transactions.ts'

const EXAMPLE = `// \`wallet\` signs: see "Wallets" in the README of the client.
const agent = await registry.agents.ofOwner(wallet.address)
await registry.agents.update({ version: '2.0' }, wallet)
await registry.stakes.deposit(usdc('500'), wallet)`

export default function MinePage() {
  const { signer } = useAccount()
  const variables = { owner: signer?.address ?? 'YOUR_WALLET' }
  return (
    <Page
      title="My agent"
      lead="Change your agent, its stake and its status. Your wallet signs each change, after you have reviewed it."
      request={{ document: OwnAgentDocument, variables, client: EXAMPLE }}
    >
      <WithOwner need="wallet" why="Connect the wallet of your agent" content={Mine} />
    </Page>
  )
}

function Mine({ wallet, agent, service }: Owner) {
  const { sign, feeChoice } = useOwnerTransaction(agent, service.feeSponsorshipEnabled)
  // The gateway reads the ledger a moment after a confirmation. Its event makes the cache read
  // again.
  const variables = { pda: agent?.pda ?? '' }
  useSubscription({ query: MyAgentEventsDocument, variables, pause: agent === null })
  // The button that had the focus can be gone with the state that it was for.
  useEffect(keepFocus, [agent])
  return (
    <div className="columns">
      <div className="stack">
        {agent === null ? (
          <Empty title="This wallet has no agent">
            <p>Register one, or connect the wallet that owns your agent.</p>
            <ButtonLink to="/register" look="primary">
              Register an agent
            </ButtonLink>
          </Empty>
        ) : (
          <>
            <AgentSummary agent={agent} />
            <StakeSection agent={agent} sign={sign} />
            {agent.status === 'ACTIVE' && (
              <UpdateSection key={formKey(agent)} agent={agent} sign={sign} service={service} />
            )}
            <StatusSection agent={agent} sign={sign} />
          </>
        )}
      </div>
      <div className="stack">
        <WalletBalance wallet={wallet} />
        {feeChoice}
      </div>
    </div>
  )
}

/** The form starts again when the registry has other details. */
function formKey({ name, version, serviceCategory, capabilities, agentCardUrl }: OwnAgent): string {
  return JSON.stringify([name, version, serviceCategory, capabilities, agentCardUrl])
}

function AgentSummary({ agent }: { readonly agent: OwnAgent }) {
  const { pda, name, status, tier, reputationScore, card, agentCardUrl } = agent
  return (
    <Section title={name}>
      <Facts
        facts={{
          Status: <Status value={status} />,
          Tier: <Tier value={tier} />,
          Reputation: `${withCommas(reputationScore)} of 1,000`,
          Address: <Address value={pda} label="agent address" />,
          Card: <ExternalLink href={agentCardUrl} />,
          'Check of the card': <Status value={card.state} />,
          Reason: card.reason,
        }}
      />
      <p>
        <Link href={`/agents/${pda}`}>Open its public page</Link>
      </p>
    </Section>
  )
}

interface OwnerTransaction extends TransactionRequest {
  /** Whether the gateway may pay the network fee. */
  readonly sponsorable?: boolean
}

export interface OwnerProps {
  readonly agent: OwnAgent
  readonly sign: Sign
}

export type Sign = (transaction: OwnerTransaction) => void

/**
 * Transactions of the owner of an agent. The gateway pays the network fee if the owner wants it.
 */
function useOwnerTransaction(agent: OwnAgent | null, canSponsor: boolean) {
  const start = useTransaction()
  // The gateway pays for agents whose registration it paid, and from the tier basic on.
  const isKnown = agent !== null && (agent.rentPayer !== agent.owner || agent.tier !== 'OBSERVER')
  const isEligible = canSponsor && isKnown
  const [wantsSponsor, setWantsSponsor] = useState(true)
  const sponsored = isEligible && wantsSponsor
  const sign: Sign = ({ send, sponsorable = false, ...request }) =>
    start({
      ...request,
      send: (registry, signer, options) =>
        send(registry, signer, { ...options, sponsored: sponsored && sponsorable }),
    })
  const feeChoice = isEligible && (
    <Section title="Network fees">
      <Choice
        label="Let the gateway pay the network fees"
        hint="For updates, stake, suspension and reactivation, up to its daily limits. Your wallet pays for the rest."
        checked={wantsSponsor}
        onChange={({ target }) => setWantsSponsor(target.checked)}
      />
    </Section>
  )
  return { sign, feeChoice }
}

interface Action extends OwnerTransaction {
  readonly label: string
  /** What it means. */
  readonly text: string
  readonly disabled?: boolean
}

/** Suspend, reactivate, deactivate and close, each with what it means. */
function StatusSection({ agent, sign }: OwnerProps) {
  return (
    <Section title="Status">
      <div className="stack divided">
        {actionsOf(agent).map((action) => (
          <div key={action.label} className="spread">
            <p className="note">{action.text}</p>
            <TransactionButton
              look={action.danger ? 'danger' : 'plain'}
              disabled={action.disabled}
              onClick={() => sign(action.danger ? { ...action, warning: action.text } : action)}
            >
              {action.label}
            </TransactionButton>
          </div>
        ))}
      </div>
    </Section>
  )
}

const SUSPEND = 'A suspended agent stays in the registry. You can reactivate it at any time.'
const REACTIVATE = 'The agent is suspended. If an admin suspended it, only an admin can end that.'
const DEACTIVATE =
  'Deactivation is permanent: the agent cannot become active again. You can still withdraw its stake.'
const CLOSE =
  'The agent is deactivated. Closing removes it from the registry; its rent goes back to who paid it. Its history stays readable.'

/** What its owner can do in the status that the agent has. */
function actionsOf({ name, status, stake }: OwnAgent): Action[] {
  type Call = 'suspend' | 'reactivate' | 'deactivate' | 'close'
  const act = (label: string, call: Call, text: string, more: Partial<Action> = {}): Action => ({
    label,
    text,
    title: `${label} ${name}`,
    send: ({ agents }, ...given) => agents[call](...given),
    ...more,
  })
  const forEver = { danger: true, title: `Deactivate ${name} permanently` }
  const deactivate = act('Deactivate', 'deactivate', DEACTIVATE, forEver)
  const sponsorable = { sponsorable: true }
  if (status === 'ACTIVE') return [act('Suspend', 'suspend', SUSPEND, sponsorable), deactivate]
  if (status === 'SUSPENDED') return [act('Reactivate', 'reactivate', REACTIVATE, sponsorable), deactivate]
  if (stake === null)
    return [act('Close the agent', 'close', CLOSE, { danger: true, title: `Close ${name}` })]
  const hasFunds = BigInt(stake.depositedAmount) > 0n
  return [
    {
      label: 'Close the stake',
      text: hasFunds
        ? 'The agent is deactivated. Withdraw all of its stake, then close the stake and the agent.'
        : 'The agent is deactivated. Close its empty stake first; its rent comes back.',
      disabled: hasFunds,
      title: 'Close the stake',
      send: ({ stakes }, ...given) => stakes.close(...given),
    },
  ]
}
