import { useMutation, useQuery } from 'urql'
import { readError } from '../api/errors.ts'
import { Section, formStyles as css } from '../form/form.tsx'
import { Address, Amount, Button } from '../ui/index.ts'
import { FundLocalnetWalletDocument, WalletBalanceDocument } from './balance.generated.ts'
import styles from './transaction.module.css'

interface WalletBalanceProps {
  readonly wallet: string
  /** Of the gateway. The localnet gives SOL and USDC to everybody. */
  readonly network: string
}

/** What the wallet can spend. */
export function WalletBalance({ wallet, network }: WalletBalanceProps) {
  const [{ data, error }, refetch] = useQuery({
    query: WalletBalanceDocument,
    variables: { wallet },
    requestPolicy: 'cache-and-network',
  })
  const [{ fetching, error: refused }, fund] = useMutation(FundLocalnetWalletDocument)
  const balance = data?.walletBalance
  const getFunds = async (): Promise<void> => {
    await fund({ wallet })
    refetch({ requestPolicy: 'network-only' })
  }
  return (
    <Section title="Wallet balance">
      <dl className={styles.rows} aria-busy={balance === undefined}>
        <dt>Address</dt>
        <dd>
          <Address value={wallet} label="wallet address" />
        </dd>
        <dt>SOL, for fees</dt>
        <dd>{balance ? <Amount value={balance.lamports} unit="sol" /> : '–'}</dd>
        <dt>USDC, for stake</dt>
        <dd>{balance ? <Amount value={balance.usdc} unit="usdc" /> : '–'}</dd>
      </dl>
      {error && <p className={css.bad}>The balance cannot be read: {readError(error).message}</p>}
      {network === 'localnet' && (
        <>
          <p className={css.hint}>This is a local test network. Its SOL and USDC have no value.</p>
          <div className={css.buttons}>
            <Button busy={fetching} onClick={() => void getFunds()}>
              Get 1 SOL and 5,000 USDC
            </Button>
          </div>
          {refused && (
            <p role="alert" className={css.bad}>
              {readError(refused).message}
            </p>
          )}
        </>
      )}
    </Section>
  )
}
