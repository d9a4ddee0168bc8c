import { useMemo } from 'react'
import { useQuery } from 'urql'
import { Address, Amount, Button, formatUnits } from '../ui/index.ts'
import { WalletBalanceDocument } from './balance.generated.ts'
import { type Costs, costsOf, type Hints } from './costs.ts'
import { decodeTransaction } from './decode.ts'
import { InstructionView } from './instruction-view.tsx'
import css from './transaction.module.css'

interface ReviewProps {
  readonly bytes: Uint8Array
  readonly hints: Hints
  readonly wallet: { readonly address: string; readonly name: string }
  readonly program: string
  readonly onSign: () => void
  readonly onCancel: () => void
}

/** What the wallet is about to sign, decoded from the bytes, with the costs and who pays them. */
export function Review({ bytes, hints, wallet, program, onSign, onCancel }: ReviewProps) {
  const transaction = useMemo(() => decodeTransaction(bytes, program), [bytes, program])
  const costs = costsOf(transaction, wallet.address, hints)
  const payer = (address: string) =>
    address === wallet.address ? (
      'your wallet'
    ) : (
      <>
        the gateway <Address value={address} label="address of the gateway’s fee payer" />
      </>
    )
  return (
    <div className={css.steps}>
      {transaction.instructions.map(({ programId, decoded }) => (
        <InstructionView key={decoded?.name ?? programId} programId={programId} decoded={decoded} />
      ))}
      <section className={css.box} aria-label="Costs">
        <h3>What it costs</h3>
        <dl className={css.rows}>
          <dt>Network fee, paid by {payer(transaction.feePayer)}</dt>
          <dd>
            <Amount value={costs.networkFee} unit="sol" />
          </dd>
          {costs.rent > 0n && (
            <>
              <dt>
                Storage deposit, paid by {payer(costs.rentPayer)}
                <span className={css.note}>It comes back when the account is closed.</span>
              </dt>
              <dd>
                <Amount value={costs.rent} unit="sol" />
              </dd>
            </>
          )}
        </dl>
      </section>
      <Balances address={wallet.address} costs={costs} />
      <p className={css.note}>
        This page built the transaction itself and found the same in what the gateway prepared. Sign within a
        minute.
      </p>
      <div className={css.buttons}>
        <Button onClick={onCancel}>Cancel</Button>
        <Button look="primary" onClick={onSign}>
          Sign with {wallet.name}
        </Button>
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
  const row = (unit: 'SOL' | 'USDC', before: string | undefined, change: bigint) => {
    const show = (value: bigint): string => formatUnits(value, unit === 'SOL' ? 9 : 6)
    return (
      <tr>
        <th scope="row">{unit}</th>
        <td>{before === undefined ? '–' : show(BigInt(before))}</td>
        <td>{before === undefined ? '–' : show(BigInt(before) + change)}</td>
      </tr>
    )
  }
  return (
    <section className={css.box} aria-label="Balances">
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
          {row('SOL', balance?.lamports, -costs.walletLamports)}
          {row('USDC', balance?.usdc, costs.walletUsdc)}
        </tbody>
      </table>
    </section>
  )
}
