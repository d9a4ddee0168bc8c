import { useEffect, useState } from 'react'
import { useClient } from 'urql'
import { TransactionButton } from '../../transaction/provider.tsx'
import { Amount, formatUnits } from '../../ui/index.ts'
import { inWords } from '../../ui/duration.ts'
import type { Sign } from './owner-transaction.tsx'
import { LedgerTimeDocument } from './page.generated.ts'
import type { MyAgent } from './page.tsx'

interface PendingWithdrawalProps {
  readonly withdrawal: NonNullable<NonNullable<MyAgent['stake']>['withdrawal']>
  readonly sign: Sign
}

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** A requested withdrawal, with the time from which it is payable. */
export function PendingWithdrawal({ withdrawal, sign }: PendingWithdrawalProps) {
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
  const client = useClient()
  const [offset, setOffset] = useState(0)
  useEffect(() => {
    const read = async (): Promise<void> => {
      const options = { requestPolicy: 'network-only' } as const
      const { data } = await client.query(LedgerTimeDocument, {}, options).toPromise()
      if (data !== undefined) setOffset(Date.parse(data.ledger.time) - Date.now())
    }
    void read()
    const timer = setInterval(() => void read(), REFRESH_MS)
    return () => clearInterval(timer)
  }, [client])
  return useNow() + offset
}

/** The time, each second. */
function useNow(): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  return now
}
