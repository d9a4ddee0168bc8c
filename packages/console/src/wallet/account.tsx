import type { Registry, Signer } from '@agent-registry/client'
import type { Wallet } from '@wallet-standard/base'
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react'
import { Provider } from 'urql'
import { createApiClient } from '../api/client.ts'
import { hasTexts, readValue, storeValue } from '../api/storage.ts'
import { readSession, storeSession, type StoredSession } from '../api/token.ts'

export type Account = ReturnType<typeof useProvided>['account']

const THROW_AWAY = 'Throw-away wallet'
/** In the storage of this tab. */
const USED_WALLET = 'wallet'

const Context = createContext<Account | null>(null)

/** The code of wallets is loaded when somebody uses one. */
const load = () => import('./connect.ts')

export function AccountProvider({ children }: { readonly children: ReactNode }) {
  const { account, client } = useProvided()
  return (
    <Context value={account}>
      <Provider value={client}>{children}</Provider>
    </Context>
  )
}

function useProvided() {
  const [connected, setConnected] = useState<{ signer: Signer; name: string } | null>(null)
  const [session, setSession] = useState(readSession)
  const token = session?.token ?? null
  // A new client for each session: what one wallet may read, another must not find in the cache.
  const client = useMemo(() => createApiClient(token), [token])
  useEffect(() => {
    const used = readUsedWallet()
    if (used === null) return
    const reconnect = async (): Promise<void> => {
      const signer = await (await load()).reconnectWallet(used)
      const session = readSession()
      const isSame = session === null || session.wallet === signer?.address
      if (signer !== null && isSame) setConnected({ signer, name: used.name })
    }
    // The reader can connect it.
    reconnect().catch(() => undefined)
  }, [])
  const account = useMemo(() => {
    const keep = (next: StoredSession | null): void => {
      storeSession(next)
      setSession(next)
    }
    const registry = async (program?: string): Promise<Registry> => (await load()).registryFor(token, program)
    const signOut = async (): Promise<void> => {
      if (token !== null) await (await registry()).sessions.signOut().catch(() => undefined)
      keep(null)
    }
    const use = async (signer: Signer, wallet: UsedWallet): Promise<void> => {
      if (session !== null && session.wallet !== signer.address) await signOut()
      storeValue(USED_WALLET, wallet)
      setConnected({ signer, name: wallet.name })
    }
    return {
      /** The connected wallet. After a reload it connects by itself, if the wallet allows it. */
      signer: connected?.signer ?? null,
      walletName: connected?.name ?? null,
      /** The session of this tab. Requests of urql and of `registry()` use it. */
      session,
      /** The connected wallet, else that of the session. */
      address: connected?.signer.address ?? session?.wallet ?? null,
      connect: async (wallet: Wallet, network: string): Promise<void> =>
        use(await (await load()).connectWallet(wallet, network), { name: wallet.name, network }),
      /** Connects a new wallet whose key is in this tab. For the localnet only. */
      connectThrowAway: async (): Promise<void> =>
        use(await (await load()).throwAwayWallet(), { name: THROW_AWAY, network: null }),
      /** Saves the key of the throw-away wallet as a file. Null for other wallets. */
      saveThrowAway:
        connected?.name === THROW_AWAY
          ? async (): Promise<void> => (await load()).saveThrowAwayWallet(connected.signer.address)
          : null,
      disconnect: async (): Promise<void> => {
        await signOut()
        storeValue(USED_WALLET, null)
        setConnected(null)
      },
      /** One wallet dialog; later requests need none. Throws if no wallet is connected. */
      signIn: async (): Promise<void> => {
        if (connected === null) throw new Error('Connect a wallet first.')
        keep(await (await registry()).sessions.signIn(connected.signer))
      },
      signOut,
      /**
       * The client of `@agent-registry/client`, loaded when it is needed. `program` is the registry
       * program that the wallet signs for; by default that of the release.
       */
      registry,
    }
  }, [connected, session, token])
  return { account, client }
}

export function useAccount(): Account {
  const account = useContext(Context)
  if (account === null) throw new Error('useAccount needs an AccountProvider')
  return account
}

/** The wallet that was connected in this tab. */
export interface UsedWallet {
  readonly name: string
  /** Null for a throw-away wallet. */
  readonly network: string | null
}

function readUsedWallet(): UsedWallet | null {
  const stored = readValue(USED_WALLET)
  if (!hasTexts(stored, 'name')) return null
  return { name: stored.name, network: hasTexts(stored, 'network') ? stored.network : null }
}
