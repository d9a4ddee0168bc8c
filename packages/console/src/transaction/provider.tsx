import {
  type ComponentProps,
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
import { useClient } from 'urql'
import { Button } from '../ui/button.tsx'
import { ErrorState } from '../ui/states.tsx'
import { useAccount } from '../wallet/account.tsx'
import type { TransactionRequest, Transactions } from './transactions.ts'
import { readUnfinished } from './unfinished.ts'

interface Given {
  readonly start: (request: TransactionRequest) => void
  /** The dialog and the banner. Null before the first transaction of the page. */
  readonly host: ReactNode
  /** Its code is on its way. */
  readonly isOpening: boolean
  /** Its code did not load. */
  readonly hasFailed: boolean
  /** Grows when a transaction has landed, and when the gateway has read it. */
  readonly landed: number
}

const Context = createContext<Given | null>(null)

const NOT_LOADED =
  'The code of transactions could not be loaded. Nothing new was signed or sent: try it again, or reload the page.'

/** The first page needs no code of transactions, unless one is not finished. */
const load = () => Promise.all([import('./transactions.ts'), import('./host.tsx')])

/** The transactions of all pages: they continue when the reader goes to another page. */
export function TransactionProvider({ children }: { readonly children: ReactNode }) {
  const { signer, walletName } = useAccount()
  const client = useClient()
  const [host, setHost] = useState<ReactNode>(null)
  const [isOpening, setOpening] = useState(false)
  const [hasFailed, setFailed] = useState(false)
  const [landed, setLanded] = useState(0)
  const created = useRef<Promise<Transactions> | null>(null)
  const open = useCallback((): Promise<Transactions> => {
    const create = async (): Promise<Transactions> => {
      const [{ createGateway, createTransactions }, { Host }] = await load()
      const loaded = createTransactions(createGateway(client, () => setLanded((count) => count + 1)))
      loaded.resumeStored()
      setHost(<Host transactions={loaded} />)
      return loaded
    }
    return (created.current ??= create())
  }, [client])
  const fail = useCallback((): void => {
    created.current = null
    setFailed(true)
  }, [])
  useEffect(() => {
    if (readUnfinished().length > 0) open().catch(fail)
  }, [open, fail])
  const given = useMemo<Given>(() => {
    const start = (request: TransactionRequest): void => {
      if (signer === null) return
      const wallet = { signer, name: walletName ?? 'your wallet' }
      setFailed(false)
      setOpening(true)
      open()
        .then((opened) => opened.start(request, wallet), fail)
        .finally(() => setOpening(false))
    }
    return { start, host, isOpening, hasFailed, landed }
  }, [signer, walletName, open, fail, host, isOpening, hasFailed, landed])
  return <Context value={given}>{children}</Context>
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

/** A button that starts a transaction. */
export const TransactionButton = (props: ComponentProps<typeof Button>) => (
  <Button busy={useGiven().isOpening} {...props} />
)

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
  const { host, hasFailed } = useGiven()
  return hasFailed ? <ErrorState error={{ message: NOT_LOADED }} /> : host
}
