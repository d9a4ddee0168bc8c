import { useState } from 'react'
import { Amount, Facts, formatUnits, Link, RelativeTime, Section, Tier } from '../../ui/index.ts'
import type { Agent, Config } from './agent.ts'
import css from './page.module.css'

interface StakeProps {
  readonly agent: Agent
  readonly config: Config
}

/** The stake, what it gives, and when a requested withdrawal can be paid. */
export function StakeSection({ agent: { stake, tier }, config }: StakeProps) {
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
