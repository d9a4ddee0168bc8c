import { getWallets } from '@wallet-standard/app'
import type { Wallet } from '@wallet-standard/base'
import { useLayoutEffect, useState } from 'react'
import { readError } from '../api/errors.ts'
import { Address, Button, Loaded } from '../ui/index.ts'
import { useService } from '../ui/service.tsx'
import { useAccount } from './account.tsx'

/** Shows the account, and a button for each step that is left. */
export function AccountPanel() {
  const account = useAccount()
  const service = useService()
  const wallets = useWallets()
  const [problem, setProblem] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const run = async (step: () => Promise<void>): Promise<void> => {
    setBusy(true)
    setProblem(null)
    await step().catch((error: unknown) => setProblem(readError(error).message))
    setBusy(false)
  }
  if (!isSecureContext) return <p>Wallets need https. Open this page by https, or on localhost.</p>
  return (
    <div className="grid">
      {account.address !== null && (
        <p>
          {account.walletName ?? 'Signed in as'} <Address value={account.address} label="wallet address" />
        </p>
      )}
      {account.signer === null ? (
        <Loaded read={service} data={service.data?.info} rows={1} label="Loading the wallets">
          {({ network }) => (
            <>
              {wallets.map((wallet) => (
                <Button
                  key={wallet.name}
                  busy={busy}
                  onClick={() => void run(() => account.connect(wallet, network))}
                >
                  <img src={wallet.icon} alt="" width={20} height={20} />
                  {wallet.name}
                </Button>
              ))}
              {wallets.length === 0 && (
                <p className="hint">
                  No wallet was found in this browser. Install one that supports Solana, such as Phantom or
                  Solflare, then reload the page.
                </p>
              )}
              {network === 'LOCALNET' && (
                <>
                  <Button
                    look={wallets.length === 0 ? 'primary' : 'plain'}
                    busy={busy}
                    onClick={() => void run(account.connectThrowAway)}
                  >
                    Use a throw-away wallet
                  </Button>
                  <p className="hint">
                    A new wallet, for this test network only. Its key is lost when you close the tab, unless
                    you save it.
                  </p>
                </>
              )}
            </>
          )}
        </Loaded>
      ) : (
        account.session === null && (
          <>
            <p className="hint">
              Sign in to manage webhooks and verify credentials. The wallet signs one message. It costs
              nothing.
            </p>
            <Button look="primary" busy={busy} onClick={() => void run(account.signIn)}>
              Sign in
            </Button>
          </>
        )
      )}
      {account.session !== null && <p className="hint">You are signed in.</p>}
      {account.saveThrowAway !== null && (
        <Button busy={busy} onClick={() => void run(account.saveThrowAway!)}>
          Save the key of this wallet
        </Button>
      )}
      {account.address !== null && (
        <Button busy={busy} onClick={() => void run(account.disconnect)}>
          {account.session === null ? 'Disconnect' : 'Sign out and disconnect'}
        </Button>
      )}
      {problem !== null && (
        <p role="alert" className="bad">
          {problem}
        </p>
      )}
    </div>
  )
}

/** Features that the console needs of a wallet. */
const NEEDED = ['standard:connect', 'solana:signTransaction']

const usable = (): readonly Wallet[] =>
  getWallets()
    .get()
    .filter(({ features }) => NEEDED.every((name) => name in features))

/** The installed wallets of the Wallet Standard. */
function useWallets(): readonly Wallet[] {
  const [wallets, setWallets] = useState(usable)
  // Not a passive effect: a wallet could register itself before it.
  useLayoutEffect(() => {
    const installed = getWallets()
    const read = (): void => setWallets(usable())
    const stops = [installed.on('register', read), installed.on('unregister', read)]
    return () => stops.forEach((stop) => stop())
  }, [])
  return wallets
}
