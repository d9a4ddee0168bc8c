import { type AmountError, usdc } from '@agent-registry/client/money'
import { useQuery } from 'urql'
import { useState } from 'react'
import { Form } from '../../form/form.tsx'
import { useDraft } from '../../form/use-draft.ts'
import { WalletBalanceDocument } from '../../transaction/ledger.generated.ts'
import { TransactionButton } from '../../transaction/use-transaction.tsx'
import { Button, Facts, Input, Section } from '../../ui/index.ts'
import { usePolling, useRead } from '../../ui/reads.ts'
import { Amount, formatUnits, plainUnits, words } from '../../ui/values.ts'
import type { OwnAgent } from '../../wallet/own-agent.tsx'
import type { OwnerProps, Sign } from './page.tsx'
import { LedgerTimeDocument, StakeRulesDocument } from './page.generated.ts'
import { inWords } from '../../ui/time.tsx'

const DAY_SECONDS = 86_400

/** The stake, the tier that it gives, deposits and withdrawals. */
export function StakeSection({ agent, sign }: OwnerProps) {
  const [{ data }] = useQuery({ query: StakeRulesDocument })
  const variables = { wallet: agent.owner }
  const wallet = useRead({ query: WalletBalanceDocument, variables }).data?.walletBalance
  const rules = data?.registryConfig
  const { stake, tier, status } = agent
  const deposited = BigInt(stake?.depositedAmount ?? 0)
  const pending = BigInt(stake?.pendingWithdrawal ?? 0)
  const locked = BigInt(stake?.lockedAmount ?? 0)
  const free = deposited - pending - locked
  const counted = deposited - pending
  const next = rules?.tiers.find(({ minimumStake }) => BigInt(minimumStake) > counted)
  const cooldown = inWords(rules?.cooldownSeconds ?? 7 * DAY_SECONDS)
  /** What a withdrawal means. */
  const consequences = (amount: bigint): string => {
    const after = rules?.tiers.findLast(({ minimumStake }) => BigInt(minimumStake) <= counted - amount)
    const falls = after !== undefined && after.tier !== tier
    return `It is payable ${cooldown} after the request.${falls ? ` Your tier falls to ${words(after.tier)} at once.` : ''}`
  }
  return (
    <Section
      title="Stake"
      lead={
        next === undefined
          ? `Your tier is ${words(tier)}.`
          : `Your tier is ${words(tier)}. With ${formatUnits(BigInt(next.minimumStake) - counted, 6)} USDC more it is ${words(next.tier)}.`
      }
    >
      <Facts
        facts={{
          Deposited: <Amount value={deposited} unit="usdc" />,
          'Can be withdrawn': <Amount value={free > 0n ? free : 0n} unit="usdc" />,
          Locked: locked > 0n && <Amount value={locked} unit="usdc" />,
          'Being withdrawn': pending > 0n && <Amount value={pending} unit="usdc" />,
        }}
      />
      {stake?.withdrawal && <PendingWithdrawal withdrawal={stake.withdrawal} sign={sign} />}
      {stake?.withdrawal && free > 0n && (
        <p className="note">
          There can be one withdrawal at a time. To withdraw another amount, cancel this one first.
        </p>
      )}
      {status === 'ACTIVE' && (
        <AmountForm
          key={`deposit ${deposited}`}
          label="Deposit"
          hint="USDC move from your wallet to the vault of your agent."
          max={wallet ? BigInt(wallet.usdc) : undefined}
          tooMuch={(max) => `Your wallet has ${max} USDC.`}
          onSubmit={(amount) =>
            sign({
              title: `Deposit ${formatUnits(amount, 6)} USDC`,
              send: (registry, signer, options) => registry.stakes.deposit(amount, signer, options),
              sponsorable: true,
              hints: { firstDeposit: stake === null },
            })
          }
        />
      )}
      {free > 0n && !stake?.withdrawal && (
        <AmountForm
          key={`withdraw ${free}`}
          label="Withdraw"
          hint={`Payable ${cooldown} after the request. Your tier may fall at once.`}
          max={free}
          tooMuch={(max) => `At most ${max} USDC can be withdrawn.`}
          onSubmit={(amount) =>
            sign({
              title: `Request a withdrawal of ${formatUnits(amount, 6)} USDC`,
              warning: rules ? consequences(amount) : undefined,
              send: (registry, signer, options) => registry.stakes.requestWithdrawal(amount, signer, options),
              sponsorable: true,
            })
          }
        />
      )}
    </Section>
  )
}

interface AmountFormProps {
  readonly label: 'Deposit' | 'Withdraw'
  readonly hint: string
  /** Undefined while it is not known. */
  readonly max: bigint | undefined
  readonly tooMuch: (max: string) => string
  readonly onSubmit: (amount: bigint) => void
}

function AmountForm({ label, hint, max, tooMuch, onSubmit }: AmountFormProps) {
  const { draft, change, field, submit } = useDraft({ amount: '' }, (given) => {
    const { amount, problem } = readAmount(given.amount)
    const isTooMuch = amount !== null && max !== undefined && amount > max
    return { amount: isTooMuch ? tooMuch(formatUnits(max, 6)) : problem }
  })
  return (
    <Form label={label} onSubmit={() => submit(() => onSubmit(usdc(draft.amount.trim())))}>
      <div className="stack">
        <Input
          label={`${label} (USDC)`}
          inputMode="decimal"
          placeholder="0.00"
          hint={hint}
          {...field('amount')}
        />
        <div className="row">
          {max !== undefined && (
            <Button onClick={() => change({ amount: plainUnits(max, 6) })}>Use all</Button>
          )}
          <TransactionButton type="submit">{label}</TransactionButton>
        </div>
      </div>
    </Form>
  )
}

/** The amount of a text, and why it cannot be moved. */
function readAmount(text: string): { amount: bigint | null; problem: string | null } {
  try {
    const amount = usdc(text.trim())
    return { amount, problem: amount === 0n ? 'Enter an amount above 0.' : null }
  } catch (error) {
    return { amount: null, problem: (error as AmountError).reason }
  }
}

interface PendingWithdrawalProps {
  readonly withdrawal: NonNullable<NonNullable<OwnAgent['stake']>['withdrawal']>
  readonly sign: Sign
}

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** A requested withdrawal, with the time from which it is payable. */
function PendingWithdrawal({ withdrawal, sign }: PendingWithdrawalProps) {
  const { amount, completableAt } = withdrawal
  const now = useLedgerTime()
  const left = completableAt === null ? 0 : (Date.parse(completableAt) - now) / 1_000
  const isPayable = left <= 0
  return (
    <div className="notice" data-tone="neutral">
      <div>
        <h3>
          Withdrawal of <Amount value={amount} unit="usdc" />
        </h3>
        <p role="timer" className="hint">
          {isPayable ? (
            'It is payable now.'
          ) : (
            <>
              Payable in {inWords(left)}, on{' '}
              <time dateTime={completableAt!}>{exact.format(new Date(completableAt!))}</time>. The clock of
              the ledger decides.
            </>
          )}
        </p>
      </div>
      <div className="row">
        <TransactionButton
          look={isPayable ? 'primary' : 'plain'}
          disabled={!isPayable}
          onClick={() =>
            sign({
              title: `Pay out ${formatUnits(BigInt(amount), 6)} USDC`,
              send: (registry, signer, options) => registry.stakes.completeWithdrawal(signer, options),
              sponsorable: true,
              hints: { payout: BigInt(amount) },
            })
          }
        >
          Pay out
        </TransactionButton>
        <TransactionButton
          onClick={() =>
            sign({
              title: 'Cancel the withdrawal',
              send: (registry, signer, options) => registry.stakes.cancelWithdrawal(signer, options),
              sponsorable: true,
            })
          }
        >
          Cancel the withdrawal
        </TransactionButton>
      </div>
    </div>
  )
}

const REFRESH_MS = 10_000

/** The clock of the ledger, by which the cooldown ends. Without it, the clock of the browser. */
function useLedgerTime(): number {
  const query = { query: LedgerTimeDocument, requestPolicy: 'network-only' } as const
  const { data } = useRead(query, { everyMs: REFRESH_MS, keep: true })
  const [now, setNow] = useState(Date.now)
  usePolling(() => setNow(Date.now()), 1_000)
  const [known, setKnown] = useState({ data, offset: 0 })
  if (data && data !== known.data) setKnown({ data, offset: Date.parse(data.ledger.time) - now })
  return now + known.offset
}
