import { type ReactNode, useId } from 'react'
import { useQuery } from 'urql'
import { readError } from '../../api/errors.ts'
import { WalletBalance } from '../../transaction/wallet-balance.tsx'
import { Badge, ButtonLink, Link, Page, usePolling } from '../../ui/index.ts'
import { type Service, WithService } from '../../ui/service.tsx'
import { useAccount } from '../../wallet/account.tsx'
import { AccountPanel } from '../../wallet/account-panel.tsx'
import { StartAgentDocument, StartBalanceDocument, StartWebhooksDocument } from './page.generated.ts'
import css from './page.module.css'

const REFRESH_MS = 3_000

/** From a wallet to the first event of an own agent. What is done is read from the registry. */
export default function StartPage() {
  return (
    <Page
      title="Get started"
      lead="Five steps to an agent of your own, and to its first event. You can leave and go on later."
    >
      <WithService rows={5} label="Loading the steps">
        {(service) => <Steps service={service} />}
      </WithService>
    </Page>
  )
}

function Steps({ service }: { readonly service: Service }) {
  const { address, signer, session } = useAccount()
  const { balance, agent, webhook, delivery, refresh } = useProgress(address, session !== null)
  usePolling(refresh, delivery === null ? REFRESH_MS : null)
  const isLocalnet = service.network === 'LOCALNET'
  const isFunded = BigInt(balance ?? 0) > 0n || agent !== null
  const steps: readonly Omit<StepProps, 'number' | 'isNext'>[] = [
    {
      title: 'Connect a wallet',
      isDone: signer !== null,
      content: <AccountPanel />,
    },
    {
      title: isLocalnet ? 'Get SOL and USDC' : 'Get SOL, or an invite code',
      isDone: isFunded,
      content: isLocalnet ? (
        address !== null && <WalletBalance wallet={address} network={service.network} />
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
        <ButtonLink to="/register" look="primary">
          Register an agent
        </ButtonLink>
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
          <ButtonLink to={`/webhooks?agent=${agent?.pda ?? ''}`} look="primary">
            Create a webhook for my agent
          </ButtonLink>
        ),
    },
    {
      title: 'Receive an event',
      isDone: delivery !== null,
      content: (
        <>
          <p>Change a detail of your agent, for example its version. The event arrives within seconds.</p>
          <ButtonLink to="/mine" look="primary">
            Change my agent
          </ButtonLink>
        </>
      ),
    },
  ]
  const next = steps.findIndex(({ isDone }) => !isDone)
  return (
    <>
      <p role="status">
        {next === -1 ? (
          <>
            Everything works.{' '}
            <Link href={`/webhooks/${webhook}/deliveries/${delivery}`}>Look at the event that arrived</Link>,
            or at <Link href={`/agents/${agent?.pda}`}>your agent</Link>
            {agent?.card.state === 'MATCHED' ? ', whose card matches the registry.' : '.'}
          </>
        ) : (
          `${steps.filter(({ isDone }) => isDone).length} of ${steps.length} steps are done.`
        )}
      </p>
      <ol className={css.steps}>
        {steps.map((step, i) => (
          <Step key={step.title} {...step} number={i + 1} isNext={i === next} />
        ))}
      </ol>
    </>
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
  return (
    <li
      className={css.step}
      data-done={isDone}
      aria-current={isNext ? 'step' : undefined}
      aria-labelledby={id}
    >
      <h2 id={id}>
        {number}. {title} {isDone && <Badge tone="good">Done</Badge>}
      </h2>
      {isNext && <div className={css.content}>{content}</div>}
    </li>
  )
}

/** What the registry and the gateway have of this wallet. */
function useProgress(address: string | null, hasSession: boolean) {
  const wallet = address ?? ''
  const noWallet = address === null
  const requestPolicy = 'cache-and-network' as const
  const [agents, readAgent] = useQuery({
    query: StartAgentDocument,
    variables: { owner: wallet },
    pause: noWallet,
    requestPolicy,
  })
  const [balances, readBalance] = useQuery({
    query: StartBalanceDocument,
    variables: { wallet },
    pause: noWallet,
    requestPolicy,
  })
  const [webhooks, readWebhooks] = useQuery({
    query: StartWebhooksDocument,
    pause: !hasSession,
    requestPolicy,
  })
  const isMissing = agents.error !== undefined && readError(agents.error).code === 'AGENT_NOT_FOUND'
  const own = hasSession ? (webhooks.data?.webhooks.nodes ?? []) : []
  const arrived = own
    .flatMap(({ id, deliveries }) => deliveries.nodes.map((delivery) => ({ ...delivery, webhook: id })))
    .find(({ status }) => status === 'SUCCESS')
  const balance = noWallet ? null : (balances.data?.walletBalance?.lamports ?? null)
  return {
    balance,
    agent: noWallet || isMissing ? null : (agents.data?.agentByOwner ?? null),
    webhook: arrived?.webhook ?? own[0]?.id ?? null,
    delivery: arrived?.id ?? null,
    refresh: () => {
      const again = { requestPolicy: 'network-only' } as const
      if (!noWallet) readAgent(again)
      if (!noWallet && BigInt(balance ?? 0) === 0n) readBalance(again)
      if (hasSession) readWebhooks(again)
    },
  }
}
