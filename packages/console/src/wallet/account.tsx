import type { Registry, Signer } from '@agent-registry/client'
import type { Wallet } from '@wallet-standard/base'
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react'
import { Provider } from 'urql'
import { createApiClient } from '../api/client.ts'
import { hasTexts, readValue, storeValue } from '../api/storage.ts'
import { readSession, storeSession, type StoredSession } from '../api/token.ts'

export interface Account {
  /** The connected wallet. After a reload it connects again by itself, if the wallet allows it. */
  readonly signer: Signer | null
  readonly walletName: string | null
  /** The session of this tab. Requests of urql and of `registry()` use it. */
  readonly session: StoredSession | null
  /** The connected wallet, else that of the session. */
  readonly address: string | null
  readonly connect: (wallet: Wallet, network: string) => Promise<void>
  /** Connects a new wallet whose key is in this tab. For the localnet only. */
  readonly connectThrowAway: () => Promise<void>
  /** Saves the key of the throw-away wallet as a file. Null for other wallets. */
  readonly saveThrowAway: (() => Promise<void>) | null
  readonly disconnect: () => Promise<void>
  /** One wallet dialog; later requests need none. Throws if no wallet is connected. */
  readonly signIn: () => Promise<void>
  readonly signOut: () => Promise<void>
  /**
   * The client of `@agent-registry/client`, loaded when it is needed. `program` is the registry
   * program that the wallet signs for; by default that of the release.
   */
  readonly registry: (program?: string) => Promise<Registry>
}

const THROW_AWAY = 'Throw-away wallet'
/** In the storage of this tab. */
const USED_WALLET = 'wallet'

const Context = createContext<Account | null>(null)

/** The code of wallets is loaded when somebody uses one. */
const load = () => import('./connect.ts')

export function AccountProvider({ children }: { readonly children: ReactNode }) {
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
  const account = useMemo<Account>(() => {
    const keep = (next: StoredSession | null): void => {
      storeSession(next)
      setSession(next)
    }
    const registry = async (program?: string) => (await load()).registryFor(token, program)
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
      signer: connected?.signer ?? null,
      walletName: connected?.name ?? null,
      session,
      address: connected?.signer.address ?? session?.wallet ?? null,
      connect: async (wallet, network) =>
        use(await (await load()).connectWallet(wallet, network), { name: wallet.name, network }),
      connectThrowAway: async () =>
        use(await (await load()).throwAwayWallet(), { name: THROW_AWAY, network: null }),
      saveThrowAway:
        connected?.name === THROW_AWAY
          ? async () => (await load()).saveThrowAwayWallet(connected.signer.address)
          : null,
      disconnect: async () => {
        await signOut()
        storeValue(USED_WALLET, null)
        setConnected(null)
      },
      signIn: async () => {
        if (connected === null) throw new Error('Connect a wallet first.')
        keep(await (await registry()).sessions.signIn(connected.signer))
      },
      signOut,
      registry,
    }
  }, [connected, session, token])
  return (
    <Context value={account}>
      <Provider value={client}>{children}</Provider>
    </Context>
  )
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
