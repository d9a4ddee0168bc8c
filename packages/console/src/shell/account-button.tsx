import { Button, Dialog, lazily, shorten } from '../ui/index.ts'
import { useAccount } from '../wallet/account.tsx'

interface AccountButtonProps {
  readonly open: boolean
  readonly onOpen: () => void
  readonly onClose: () => void
}

/** Connects a wallet, shows the account, signs in and out. */
export function AccountButton({ open, onOpen, onClose }: AccountButtonProps) {
  const { address } = useAccount()
  return (
    <>
      <Button onClick={onOpen}>{address === null ? 'Connect wallet' : shorten(address)}</Button>
      <Dialog title={address === null ? 'Connect a wallet' : 'Your wallet'} open={open} onClose={onClose}>
        <Panel />
      </Dialog>
    </>
  )
}

/** Loaded when it is opened: the first page needs no code of wallets. */
const Panel = lazily(
  async () => (await import('../wallet/account-panel.tsx')).AccountPanel,
  'Loading wallets',
  2,
)
