import { type ComponentProps, type ReactNode, useEffect, useEffectEvent } from 'react'
import { type Client, useClient } from 'urql'
import { createStore } from '../api/store.ts'
import { Button } from '../ui/button.tsx'
import { ErrorState } from '../ui/states.tsx'
import { useAccount } from '../wallet/account.tsx'
import type { TransactionRequest, Transactions } from './transactions.ts'
import { readUnfinished } from './unfinished.ts'

interface State {
  /** The dialog and the banner. Null before the first transaction of the page. */
  readonly host: ReactNode
  /** Its code is on its way. */
  readonly isOpening: boolean
  /** Its code did not load. */
  readonly hasFailed: boolean
  /** Grows when a transaction has landed, and when the gateway has read it. */
  readonly landed: number
}

/** Of all pages: transactions continue when the reader goes to another page. */
const state = createStore<State>({ host: null, isOpening: false, hasFailed: false, landed: 0 })
const set = (changes: Partial<State>): void => state.set({ ...state.get(), ...changes })
let opened: Promise<Transactions> | null = null

const NOT_LOADED =
  'The code of transactions could not be loaded. Nothing new was signed or sent: try it again, or reload the page.'

/** The first page needs no code of transactions, unless one is not finished. */
const load = () => Promise.all([import('./transactions.ts'), import('./host.tsx')])

function open(client: Client): Promise<Transactions> {
  const create = async (): Promise<Transactions> => {
    const [{ createGateway, createTransactions }, { Host }] = await load()
    const onLanded = (): void => set({ landed: state.get().landed + 1 })
    const transactions = createTransactions(createGateway(client, onLanded))
    transactions.resumeStored()
    set({ host: <Host transactions={transactions} /> })
    return transactions
  }
  return (opened ??= create())
}

function fail(): void {
  opened = null
  set({ hasFailed: true })
}

/** Starts a transaction, which the reader reviews before the wallet signs it. */
export function useTransaction(): (request: TransactionRequest) => void {
  const { signer, walletName } = useAccount()
  const client = useClient()
  return (request) => {
    if (signer === null) return
    const wallet = { signer, name: walletName ?? 'your wallet' }
    set({ hasFailed: false, isOpening: true })
    open(client)
      .then((transactions) => transactions.start(request, wallet), fail)
      .finally(() => set({ isOpening: false }))
  }
}

/** A button that starts a transaction. */
export const TransactionButton = (props: ComponentProps<typeof Button>) => (
  <Button busy={state.useValue().isOpening} {...props} />
)

/** Calls `read` after a transaction, because the data of the page may have changed. */
export function useLanded(read: () => void): void {
  const { landed } = state.useValue()
  const call = useEffectEvent(read)
  useEffect(() => {
    if (landed > 0) call()
  }, [landed])
}

/** The dialog of the shown transaction, and a banner for those that are not finished. */
export function TransactionHost() {
  const { host, hasFailed } = state.useValue()
  const client = useClient()
  useEffect(() => {
    if (readUnfinished().length > 0) open(client).catch(fail)
  }, [client])
  return hasFailed ? <ErrorState error={{ message: NOT_LOADED }} /> : host
}
