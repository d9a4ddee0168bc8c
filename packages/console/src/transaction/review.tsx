import { useMemo } from 'react'
import { useQuery } from 'urql'
import { Address, Amount, Button, classes, formatUnits, withCommas } from '../ui/index.ts'
import { type Costs, costsOf } from './costs.ts'
import { decodeTransaction } from './decode.ts'
import { InstructionView } from './instruction-view.tsx'
import { RentsDocument, WalletBalanceDocument } from './ledger.generated.ts'
import type { Prepared } from './state.ts'
import css from './transaction.module.css'
import type { Flow } from './transactions.ts'

interface ReviewProps {
  readonly prepared: Prepared
  readonly flow: Flow
  readonly blockHeight: number | null
  readonly program: string
  readonly onSign: () => void
  /** Prepares a new one. Null while this one can still land. */
  readonly again: (() => void) | null
  readonly onClose: () => void
}

/** What the wallet is about to sign, decoded from the bytes, with the costs and who pays them. */
export function Review({ prepared, flow, blockHeight, program, onSign, again, onClose }: ReviewProps) {
  const { bytes, lastValidBlockHeight } = prepared
  const { wallet, origin } = flow
  const [{ data }] = useQuery({ query: RentsDocument })
  const transaction = useMemo(() => decodeTransaction(bytes, program), [bytes, program])
  const costs = costsOf(transaction, wallet, origin?.request.hints ?? {}, data?.ledger)
  const left = blockHeight === null ? null : Math.max(lastValidBlockHeight - blockHeight, 0)
  const payer = (address: string) =>
    address === wallet ? (
      'your wallet'
    ) : (
      <>
        the gateway <Address value={address} label="address of the gateway’s fee payer" />
      </>
    )
  return (
    <div className="stack">
      {transaction.instructions.map(({ programId, decoded }) => (
        <InstructionView key={decoded?.name ?? programId} programId={programId} decoded={decoded} />
      ))}
      <section className={classes('card', 'stack', css.box)} aria-label="Costs">
        <h3>What it costs</h3>
        <dl className={css.rows}>
          <dt>Network fee, paid by {payer(transaction.feePayer)}</dt>
          <dd>
            <Amount value={costs.networkFee} unit="sol" />
          </dd>
          {costs.rent !== 0n && (
            <>
              <dt>
                Storage deposit, paid by {payer(costs.rentPayer)}
                <span className="note">It comes back when the account is closed.</span>
              </dt>
              <dd>{costs.rent === null ? 'Not known' : <Amount value={costs.rent} unit="sol" />}</dd>
            </>
          )}
        </dl>
      </section>
      <Balances address={wallet} costs={costs} />
      <p className="note">
        This page built the transaction itself and found the same in what the gateway prepared.{' '}
        {again === null
          ? `You can sign it until block height ${withCommas(lastValidBlockHeight)}${left === null ? '' : `, ${withCommas(left)} blocks from now`}.`
          : ''}
      </p>
      {again && (
        <p role="alert">
          <strong>It expired before it was signed</strong>, so it can no longer land. Prepare it again to get
          a new one.
        </p>
      )}
      <div className={classes('row', css.buttons)}>
        <Button onClick={onClose}>Cancel</Button>
        <Button look={again ? 'plain' : 'primary'} disabled={again !== null} onClick={onSign}>
          Sign with {origin?.wallet.name}
        </Button>
        {again && (
          <Button look="primary" onClick={again}>
            Prepare again
          </Button>
        )}
      </div>
    </div>
  )
}

function Balances({ address, costs }: { readonly address: string; readonly costs: Costs }) {
  const [{ data, fetching }] = useQuery({
    query: WalletBalanceDocument,
    variables: { wallet: address },
    requestPolicy: 'network-only',
  })
  const balance = data?.walletBalance
  const row = (unit: 'SOL' | 'USDC', before: string | undefined, change: bigint | null) => {
    const show = (value: bigint): string => formatUnits(value, unit === 'SOL' ? 9 : 6)
    return (
      <tr>
        <th scope="row">{unit}</th>
        <td>{before === undefined ? '–' : show(BigInt(before))}</td>
        <td>{before === undefined || change === null ? '–' : show(BigInt(before) + change)}</td>
      </tr>
    )
  }
  return (
    <section className={classes('card', 'stack', css.box)} aria-label="Balances">
      <h3>Your wallet</h3>
      <table className={css.balances} aria-busy={fetching}>
        <thead>
          <tr>
            <th scope="col">Token</th>
            <th scope="col">Before</th>
            <th scope="col">After</th>
          </tr>
        </thead>
        <tbody>
          {row('SOL', balance?.lamports, costs.walletLamports === null ? null : -costs.walletLamports)}
          {row('USDC', balance?.usdc, costs.walletUsdc)}
        </tbody>
      </table>
    </section>
  )
}
