import { type ReactNode, useEffect, useId, useRef } from 'react'
import { WalletBalanceDocument } from '../../transaction/ledger.generated.ts'
import { WalletBalance } from '../../transaction/wallet-balance.tsx'
import { EVENT_TYPES } from '../../events/types.ts'
import { ButtonLink, classes, Page } from '../../ui/index.ts'
import { ErrorState, Loaded, Loading, usePolling, useRead } from '../../ui/reads.ts'
import { Badge, Link } from '../../ui/values.ts'
import { type Service, useService } from '../../ui/service.tsx'
import { useAccount } from '../../wallet/account.tsx'
import { AccountPanel } from '../../wallet/account-panel.tsx'
import { OwnAgentDocument } from '../../wallet/own-agent.generated.ts'
import { StartDeliveryDocument, StartWebhooksDocument, type WebhookDeliveryFilter } from './page.generated.ts'
import css from './page.module.css'

const REFRESH_MS = 5_000

/** From a wallet to the first event of an own agent. What is done is read from the registry. */
export default function StartPage() {
  const { address, session } = useAccount()
  const service = useService()
  return (
    <Page
      title="Get started"
      lead="Five steps to an agent of your own, and to its first event. You can leave and go on later."
    >
      <Loaded read={service} data={service.data?.info} rows={5} label="Loading the steps">
        {(info) => <Steps key={`${address} ${session?.token}`} service={info} />}
      </Loaded>
    </Page>
  )
}

function Steps({ service }: { readonly service: Service }) {
  const { address, signer, session } = useAccount()
  const { isLoading, error, hasSol, agent, webhook, delivery, refresh } = useProgress()
  usePolling(refresh, delivery === null ? REFRESH_MS : null)
  if (error !== undefined) return <ErrorState error={error} retry={refresh} />
  if (isLoading) return <Loading rows={5} label="Loading the steps" />
  const isLocalnet = service.network === 'LOCALNET'
  const steps: readonly Omit<StepProps, 'number' | 'isNext'>[] = [
    { title: 'Connect a wallet', isDone: signer !== null, content: <AccountPanel /> },
    {
      title: isLocalnet ? 'Get SOL and USDC' : 'Get SOL, or an invite code',
      isDone: hasSol || agent !== null,
      content: isLocalnet ? (
        address !== null && <WalletBalance wallet={address} />
      ) : (
        <p>
          A registration costs a fee and a storage deposit in SOL. With an invite code of the operator, the
          gateway pays them. <Link href="/register">Register with a code</Link>
        </p>
      ),
    },
    {
      title: 'Write a card and register',
      isDone: agent !== null,
      content: (
        <>
          <p>
            A card is a JSON file that says what your agent does and where it answers. The registry stores its
            URL and its hash.
          </p>
          <ButtonLink to={`/register?${hasSol ? 'payer=wallet&' : ''}from=start`} look="primary">
            Register an agent
          </ButtonLink>
        </>
      ),
    },
    {
      title: 'Create a webhook',
      isDone: webhook !== null,
      content:
        session === null ? (
          <>
            <p>Sign in first, so that only you see your webhooks.</p>
            <AccountPanel />
          </>
        ) : (
          <>
            <p>A webhook sends the events of your agent to a URL of yours.</p>
            <ButtonLink to={`/webhooks?agent=${agent?.pda ?? ''}&from=start`} look="primary">
              Create a webhook for my agent
            </ButtonLink>
          </>
        ),
    },
    {
      title: 'Receive an event',
      isDone: delivery !== null,
      content: (
        <>
          <p>Change a detail of your agent, for example its version. The event arrives within seconds.</p>
          <ButtonLink to="/mine?from=start" look="primary">
            Change my agent
          </ButtonLink>
        </>
      ),
    },
  ]
  const next = steps.findIndex(({ isDone }) => !isDone)
  return (
    <div className="stack">
      <p role="status" {...(next === -1 && { className: 'notice', 'data-tone': 'good' })}>
        {next === -1 ? (
          <span>
            Everything works.{' '}
            <Link href={`/webhooks/${webhook}/deliveries/${delivery}`}>Look at the event that arrived</Link>,
            or at <Link href={`/agents/${agent?.pda}`}>your agent</Link>
            {agent?.card.state === 'MATCHED' ? ', whose card matches the registry.' : '.'}
          </span>
        ) : (
          `${steps.filter(({ isDone }) => isDone).length} of ${steps.length} steps are done.`
        )}
      </p>
      <ol className="stack">
        {steps.map((step, i) => (
          <Step key={step.title} {...step} number={i + 1} isNext={i === next} />
        ))}
      </ol>
    </div>
  )
}

interface StepProps {
  readonly title: string
  readonly number: number
  readonly isDone: boolean
  readonly isNext: boolean
  readonly content: ReactNode
}

function Step({ title, number, isDone, isNext, content }: StepProps) {
  const id = useId()
  const heading = useRef<HTMLHeadingElement>(null)
  // The button of the step before is gone, and with it the focus.
  useEffect(() => {
    const isLost = document.activeElement === document.body && navigator.userActivation?.hasBeenActive
    if (isNext && isLost) heading.current?.focus()
  }, [isNext])
  return (
    <li
      className={classes('card', css.step)}
      data-done={isDone}
      aria-current={isNext ? 'step' : undefined}
      aria-labelledby={id}
    >
      <h2 id={id} className="spread" ref={heading} tabIndex={-1}>
        {number}. {title} {isDone && <Badge tone="good">Done</Badge>}
      </h2>
      {isNext && <div className={classes('lines', css.content)}>{content}</div>}
    </li>
  )
}

const OWN_EVENTS = { statuses: ['SUCCESS'], eventTypes: EVENT_TYPES } satisfies WebhookDeliveryFilter

/** What the registry and the gateway have of this wallet. Known parts stay while a read fails. */
function useProgress() {
  const { address, session } = useAccount()
  const wallet = address ?? ''
  const pause = address === null
  const keep = { keep: true }
  const agents = useRead({ query: OwnAgentDocument, variables: { owner: wallet }, pause }, keep)
  const balances = useRead({ query: WalletBalanceDocument, variables: { wallet }, pause }, keep)
  const webhooks = useRead({ query: StartWebhooksDocument, pause: session === null }, keep)
  const agent = agents.data?.agentByOwner ?? null
  const hasSol = BigInt(balances.data?.walletBalance?.lamports ?? 0) > 0n
  const own = webhooks.data?.webhooks.nodes.find(
    ({ active, filterAgentPda }) => active && agent !== null && filterAgentPda === agent.pda,
  )
  const webhook = own?.id ?? null
  const variables = { id: webhook ?? '', filter: OWN_EVENTS }
  const deliveries = useRead({ query: StartDeliveryDocument, variables, pause: webhook === null }, keep)
  const delivery = deliveries.data?.webhookDeliveries?.nodes[0]?.id ?? null
  const isKnown = pause || agents.data !== undefined
  const isTried = session === null || webhooks.data !== undefined || webhooks.error !== undefined
  return {
    isLoading: !isKnown || !isTried,
    error: isKnown ? undefined : agents.error,
    hasSol,
    agent,
    webhook,
    delivery,
    refresh: () => {
      if (!pause && agent?.card.state !== 'MATCHED') agents.poll()
      if (!pause && agent === null && !hasSol) balances.poll()
      if (session !== null && webhook === null) webhooks.poll()
      if (webhook !== null && delivery === null) deliveries.poll()
    },
  }
}
