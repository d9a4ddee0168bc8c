import { readError } from '../api/errors.ts'
import { useAction } from '../form/use-action.tsx'
import { Address, Amount, Button, Facts, Section, useRead } from '../ui/index.ts'
import { useService } from '../ui/service.tsx'
import { FundLocalnetWalletDocument, WalletBalanceDocument } from './ledger.generated.ts'
import { useLanded } from './use-transaction.tsx'

/** What the wallet can spend. The localnet gives SOL and USDC to everybody. */
export function WalletBalance({ wallet }: { readonly wallet: string }) {
  const service = useService().data?.info
  const { data, error, again } = useRead({ query: WalletBalanceDocument, variables: { wallet } })
  const { busy, problem, run } = useAction()
  const balance = data?.walletBalance
  useLanded(again)
  return (
    <Section title="Wallet balance">
      <Facts
        facts={{
          Address: <Address value={wallet} label="wallet address" />,
          'SOL, for fees': balance ? <Amount key="sol" value={balance.lamports} unit="sol" /> : '–',
          'USDC, for stake': balance ? <Amount key="usdc" value={balance.usdc} unit="usdc" /> : '–',
        }}
      />
      {error && <p className="note bad">The balance cannot be read: {readError(error).message}</p>}
      {service?.network === 'LOCALNET' && (
        <>
          <p className="note">This is a local test network. Its SOL and USDC have no value.</p>
          <Button
            look={balance?.lamports === '0' ? 'primary' : 'plain'}
            busy={busy}
            onClick={() => run(FundLocalnetWalletDocument, { wallet }, again)}
          >
            Get 1 SOL and 5,000 USDC
          </Button>
          {problem}
        </>
      )}
    </Section>
  )
}
