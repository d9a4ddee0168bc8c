import { shorten } from '../ui/address.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { useLazy } from '../ui/lazy.ts'
import { Loading } from '../ui/states.tsx'
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

const load = () => import('../wallet/account-panel.tsx')

/** Loaded when it is opened: the first page needs no code of wallets. */
function Panel() {
  const loaded = useLazy(load)
  return loaded === null ? <Loading rows={2} label="Loading wallets" /> : <loaded.AccountPanel />
}
