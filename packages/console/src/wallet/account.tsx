import type { Registry, Signer } from '@agent-registry/client'
import type { Wallet } from '@wallet-standard/base'
import { type ReactNode, useEffect, useMemo } from 'react'
import { Provider } from 'urql'
import { createApiClient } from '../api/client.ts'
import { hasTexts, readValue, storeValue } from '../api/storage.ts'
import { createStore } from '../api/store.ts'
import { readSession, storeSession, type StoredSession } from '../api/token.ts'

export type Account = ReturnType<typeof useAccount>

const THROW_AWAY = 'Throw-away wallet'
/** In the storage of this tab. */
const USED_WALLET = 'wallet'

/** The code of wallets is loaded when somebody uses one. */
const load = () => import('./connect.ts')

/** Not the state of a component: a wallet can answer after the reader turned to another one. */
const connectedWallet = createStore<{ readonly signer: Signer; readonly name: string } | null>(null)
const ownSession = createStore(readSession())

function keep(session: StoredSession | null): void {
  storeSession(session)
  ownSession.set(session)
}

/** Gives urql the client of the session, and connects the wallet of before a reload. */
export function AccountProvider({ children }: { readonly children: ReactNode }) {
  const token = ownSession.useValue()?.token ?? null
  // A new client for each session: what one wallet may read, another must not find in the cache.
  const client = useMemo(() => {
    const forget = (): void => void (ownSession.get()?.token === token && keep(null))
    return createApiClient(token, forget)
  }, [token])
  useEffect(() => {
    const used = readUsedWallet()
    if (used === null) return
    const reconnect = async (): Promise<void> => {
      const signer = await (await load()).reconnectWallet(used)
      const isSame = (ownSession.get()?.wallet ?? signer?.address) === signer?.address
      const isFirst = connectedWallet.get() === null && readUsedWallet()?.name === used.name
      if (signer !== null && isSame && isFirst) connectedWallet.set({ signer, name: used.name })
    }
    // The reader can connect it.
    reconnect().catch(() => undefined)
  }, [])
  return <Provider value={client}>{children}</Provider>
}

export function useAccount() {
  const connected = connectedWallet.useValue()
  const session = ownSession.useValue()
  return useMemo(() => {
    const token = session?.token ?? null
    const registry = async (program?: string): Promise<Registry> => (await load()).registryFor(token, program)
    const signOut = async (): Promise<void> => {
      if (token !== null) await (await registry()).sessions.signOut().catch(() => undefined)
      keep(null)
    }
    const use = async (signer: Signer, wallet: UsedWallet): Promise<void> => {
      if (session !== null && session.wallet !== signer.address) await signOut()
      storeValue(USED_WALLET, wallet)
      connectedWallet.set({ signer, name: wallet.name })
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
        connectedWallet.set(null)
      },
      /** One wallet dialog; later requests need none. Throws if no wallet is connected. */
      signIn: async (): Promise<void> => {
        if (connected === null) throw new Error('Connect a wallet first.')
        const next = await (await registry()).sessions.signIn(connected.signer)
        if (connectedWallet.get()?.signer.address === next.wallet) return keep(next)
        await (await load()).registryFor(next.token).sessions.signOut()
      },
      signOut,
      /**
       * The client of `@agent-registry/client`, loaded when it is needed. `program` is the registry
       * program that the wallet signs for; by default that of the release.
       */
      registry,
    }
  }, [connected, session])
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
