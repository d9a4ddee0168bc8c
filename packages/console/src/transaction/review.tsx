import type { DecodedInstruction } from '@agent-registry/client/decode'
import { useMemo } from 'react'
import { useQuery } from 'urql'
import { Address, Amount, Button, type Columns, Facts, formatUnits, Table, withCommas } from '../ui/index.ts'
import { inWords } from '../ui/time.tsx'
import { type Costs, costsOf } from './costs.ts'
import { decodeTransaction } from './decode.ts'
import { Instruction } from './instruction.tsx'
import { RentsDocument, WalletBalanceDocument } from './ledger.generated.ts'
import type { Prepared } from './state.ts'
import type { Flow } from './transactions.ts'
import { argumentsOf, effectOf, REGISTRY_PROGRAM } from './words.ts'

/** As the ledger makes blocks, on average. */
const BLOCK_SECONDS = 0.4

interface ReviewProps {
  readonly prepared: Prepared
  readonly flow: Flow
  readonly blockHeight: number | null
  readonly onSign: () => void
  /** Prepares a new one. Null while this one can still land. */
  readonly again: (() => void) | null
  readonly onClose: () => void
}

/** What the wallet is about to sign, decoded from the bytes, with the costs and who pays them. */
export function Review({ prepared, flow, blockHeight, onSign, again, onClose }: ReviewProps) {
  const { bytes, program, lastValidBlockHeight } = prepared
  const { wallet, origin } = flow
  const { danger = false, warning, hints = {} } = origin?.request ?? {}
  const [{ data }] = useQuery({ query: RentsDocument })
  const transaction = useMemo(() => decodeTransaction(bytes, program), [bytes, program])
  const costs = costsOf(transaction, wallet, hints, data?.ledger)
  const left = blockHeight === null ? null : Math.max(lastValidBlockHeight - blockHeight, 0)
  const { feePayer } = transaction
  const nameOf = (payer: string): string => (payer === wallet ? 'your wallet' : 'the gateway')
  const gateway = [feePayer, costs.rentPayer].find((payer) => payer !== wallet)
  const rent = costs.rent === null ? 'Not known' : <Amount value={costs.rent} unit="sol" />
  return (
    <div className="stack">
      {transaction.instructions.map(({ programId, decoded }) => (
        <section key={decoded?.name ?? programId} className="stack" aria-label="What you sign">
          <Instruction programId={programId} {...describe(decoded)} />
        </section>
      ))}
      {warning !== undefined && (
        <p className="notice" data-tone={danger ? 'bad' : 'warn'}>
          {warning}
        </p>
      )}
      <section className="stack" aria-label="Costs">
        <h3>What it costs</h3>
        <Facts
          facts={{
            [`Network fee, paid by ${nameOf(feePayer)}`]: <Amount value={costs.networkFee} unit="sol" />,
            [`Storage deposit, paid by ${nameOf(costs.rentPayer)}`]: costs.rent !== 0n && rent,
            'Fee payer': gateway !== undefined && <Address value={gateway} label="fee payer" />,
          }}
        />
        {costs.rent !== 0n && (
          <p className="note">The storage deposit comes back when the account is closed.</p>
        )}
      </section>
      <Balances address={wallet} costs={costs} />
      <p className="note">
        This page built the transaction itself and found the same in what the gateway prepared.{' '}
        {again === null
          ? `You can sign it ${left === null ? '' : `for about ${inWords(5 * Math.ceil((left * BLOCK_SECONDS) / 5))}, `}until block height ${withCommas(lastValidBlockHeight)}.`
          : ''}
      </p>
      {again && (
        <p role="alert">
          <strong>It expired before it was signed</strong>, so it can no longer land. Prepare it again to get
          a new one.
        </p>
      )}
      <div className="row">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          look={again ? 'plain' : danger ? 'danger' : 'primary'}
          disabled={again !== null}
          onClick={onSign}
        >
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
  const rowOf = (unit: string, decimals: number, before: string | undefined, change: bigint | null) => {
    const now = before === undefined ? null : BigInt(before)
    const after = now === null || change === null ? null : now + change
    return [unit, ...[now, after].map((value) => (value === null ? '–' : formatUnits(value, decimals)))]
  }
  const { walletLamports, walletUsdc } = costs
  const rows = [
    rowOf('SOL', 9, balance?.lamports, walletLamports === null ? null : -walletLamports),
    rowOf('USDC', 6, balance?.usdc, walletUsdc),
  ]
  return (
    <section className="stack" aria-label="Balances">
      <h3>Your wallet</h3>
      <Table
        caption="Your wallet"
        columns={BALANCES}
        numbers={['Before', 'After']}
        rows={rows}
        keyOf={([unit]) => unit!}
        stale={fetching}
      />
    </section>
  )
}

const BALANCES: Columns<readonly string[]> = {
  Token: ([unit]) => unit,
  Before: ([, before]) => before,
  After: ([, , after]) => after,
}

/** The program lists itself among its accounts. */
const isOther = ({ name }: { readonly name: string | null }): boolean => name !== 'program'

/** An instruction for somebody who is asked to sign it. */
const describe = (decoded: DecodedInstruction | null) =>
  decoded === null
    ? { title: 'An instruction that this page cannot read', program: 'Program', values: [], accounts: [] }
    : {
        title: effectOf(decoded),
        program: REGISTRY_PROGRAM,
        values: argumentsOf(decoded),
        accounts: decoded.accounts.filter(isOther),
      }
