import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
} from 'react'
import { type Client, useClient } from 'urql'
import { BlockHeightDocument, ConsoleInfoDocument } from '../api/service.generated.ts'
import { useLazy } from '../ui/lazy.ts'
import { useAccount } from '../wallet/account.tsx'
import type { Gateway, TransactionRequest, Transactions } from './transactions.ts'
import { readUnfinished } from './unfinished.ts'

interface Given {
  readonly start: (request: TransactionRequest) => void
  /** Null before the first transaction of the page. */
  readonly transactions: Transactions | null
  /** Grows when a transaction has landed, and when the gateway has read it. */
  readonly landed: number
}

const Context = createContext<Given | null>(null)
const READ_WAIT_MS = 10_000

/** The first page needs no code of transactions, unless one is not finished. */
const load = () => import('./transactions.ts')
const loadHost = () => import('./host.tsx')
const loadWallet = () => import('../wallet/connect.ts')

/** The transactions of all pages: they continue when the reader goes to another page. */
export function TransactionProvider({ children }: { readonly children: ReactNode }) {
  const { signer, walletName } = useAccount()
  const client = useClient()
  const [transactions, setTransactions] = useState<Transactions | null>(null)
  const [landed, setLanded] = useState(0)
  const created = useRef<Promise<Transactions> | null>(null)
  const open = useCallback((): Promise<Transactions> => {
    const gateway = createGateway(client, () => setLanded((count) => count + 1))
    return (created.current ??= load().then(({ createTransactions }) => {
      const loaded = createTransactions(gateway)
      loaded.resumeStored()
      setTransactions(loaded)
      return loaded
    }))
  }, [client])
  useEffect(() => {
    if (readUnfinished().length > 0) void open()
  }, [open])
  const given = useMemo<Given>(() => {
    const start = async (request: TransactionRequest): Promise<void> => {
      if (signer !== null) (await open()).start(request, { signer, name: walletName ?? 'your wallet' })
    }
    return { start: (request) => void start(request), transactions, landed }
  }, [signer, walletName, open, transactions, landed])
  return <Context value={given}>{children}</Context>
}

/** `onLanded` is called when a transaction has landed, and when the gateway has read it. */
function createGateway(client: Client, onLanded: () => void): Gateway {
  const program = async (): Promise<string | undefined> =>
    (await client.query(ConsoleInfoDocument, {})).data?.info.program
  const readAgain = async (wallet: string): Promise<void> => {
    onLanded()
    const { agentAddress, registryFor } = await loadWallet()
    const pda = await agentAddress(wallet, await program())
    await registryFor(null)
      .agents.get(pda, { waitMs: READ_WAIT_MS })
      .catch(() => undefined)
    onLanded()
  }
  return {
    registry: async () => (await loadWallet()).registryFor(null),
    trusted: async () => (await loadWallet()).registryFor(null, await program()),
    blockHeight: async () => {
      const { data, error } = await client.query(BlockHeightDocument, {}, { requestPolicy: 'network-only' })
      if (data === undefined) throw error ?? new Error('no block height')
      return data.ledger.blockHeight
    },
    onLanded: (wallet) => void readAgain(wallet),
  }
}

function useGiven(): Given {
  const given = useContext(Context)
  if (given === null) throw new Error('Transactions need a TransactionProvider')
  return given
}

/** Starts a transaction, which the reader reviews before the wallet signs it. */
export function useTransaction(): (request: TransactionRequest) => void {
  return useGiven().start
}

/** Calls `read` after a transaction, because the data of the page may have changed. */
export function useLanded(read: () => void): void {
  const { landed } = useGiven()
  const call = useEffectEvent(read)
  useEffect(() => {
    if (landed > 0) call()
  }, [landed])
}

/** The dialog of the shown transaction, and a banner for those that are not finished. */
export function TransactionHost() {
  const { transactions } = useGiven()
  return transactions === null ? null : <LoadedHost transactions={transactions} />
}

function LoadedHost({ transactions }: { readonly transactions: Transactions }) {
  const loaded = useLazy(loadHost)
  return loaded === null ? null : <loaded.Host transactions={transactions} />
}
