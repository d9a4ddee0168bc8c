import { useState } from 'react'
import { shorten } from '../ui/address.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { AccountPanel } from '../wallet/account-panel.tsx'
import { useAccount } from '../wallet/account.tsx'

/** Connects a wallet, shows the account, signs in and out. */
export function AccountButton() {
  const [open, setOpen] = useState(false)
  const { address } = useAccount()
  return (
    <>
      <Button onClick={() => setOpen(true)}>{address === null ? 'Connect wallet' : shorten(address)}</Button>
      <Dialog
        title={address === null ? 'Connect a wallet' : 'Your wallet'}
        open={open}
        onClose={() => setOpen(false)}
      >
        <AccountPanel />
      </Dialog>
    </>
  )
}
