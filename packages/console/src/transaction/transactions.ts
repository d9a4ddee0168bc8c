import type {
  Registry,
  SendOptions,
  Signer,
  Transaction,
  TransactionFailedError,
  UnfinishedTransaction,
} from '@agent-registry/client'
import type { Client } from 'urql'
import { createStore } from '../api/store.ts'
import { readError } from '../api/errors.ts'
import { BlockHeightDocument, ConsoleInfoDocument } from '../api/service.generated.ts'
import type { Hints } from './costs.ts'
import { problemBefore, problemOf } from './problem.ts'
import { DRAFT, type Event, isFollowed, isUnfinished, next, resumed, type State } from './state.ts'
import { readUnfinished, removeUnfinished, storeUnfinished } from './unfinished.ts'

export interface TransactionRequest {
  /** What the reader asked for: "Deposit 100 USDC". */
  readonly title: string
  /** Sends it with `packages/client`, which checks what the gateway prepared. */
  readonly send: (registry: Registry, signer: Signer, options: SendOptions) => Promise<Transaction>
  readonly hints?: Hints
  /** What the reader must know before the signature. */
  readonly warning?: string
  /** Whether it cannot be undone. */
  readonly danger?: boolean
  /** Where to go when it is confirmed. */
  readonly next?: { readonly to: string; readonly label: string }
}

export interface Wallet {
  readonly signer: Signer
  readonly name: string
}

/** A transaction of this page, and how far it is. */
export interface Flow {
  readonly key: number
  /** Address of the wallet that signs it. */
  readonly wallet: string
  readonly title: string
  /** Null for one that was signed before the page was loaded. */
  readonly origin: { readonly request: TransactionRequest; readonly wallet: Wallet } | null
  /** False if a reload of the page would lose it. */
  readonly isStored: boolean
  readonly state: State
}

export interface Snapshot {
  readonly flows: readonly Flow[]
  /** The flow in the dialog. */
  readonly shown: number | null
  /** Of the ledger, as the gateway last told it. */
  readonly blockHeight: number | null
}

/** What the transactions need of the gateway. */
export interface Gateway {
  registry(): Promise<Pick<Registry, 'transactions'>>
  /** For what the wallet signs. */
  trusted(): Promise<{ readonly registry: Registry; readonly program: string }>
  blockHeight(): Promise<number>
  onLanded(wallet: string): void
}

const READ_WAIT_MS = 10_000
const FRESH = { requestPolicy: 'network-only' } as const
const loadWallet = () => import('../wallet/connect.ts')

/** `onLanded` is called when a transaction has landed, and when the gateway has read it. */
export function createGateway(client: Client, onLanded: () => void): Gateway {
  const readProgram = async (): Promise<string> => {
    const { data, error } = await client.query(ConsoleInfoDocument, {}, FRESH)
    if (data === undefined) throw error ?? new Error('no program')
    return data.info.program
  }
  const readAgain = async (wallet: string): Promise<void> => {
    onLanded()
    const { agentAddress, registryFor } = await loadWallet()
    const pda = await agentAddress(wallet, await readProgram())
    await registryFor(null).agents.get(pda, { waitMs: READ_WAIT_MS })
    onLanded()
  }
  return {
    registry: async () => (await loadWallet()).registryFor(null),
    trusted: async () => {
      const program = await readProgram()
      return { program, registry: (await loadWallet()).registryFor(null, program) }
    },
    blockHeight: async () => {
      const { data, error } = await client.query(BlockHeightDocument, {}, FRESH)
      if (data === undefined) throw error ?? new Error('no block height')
      return data.ledger.blockHeight
    },
    onLanded: (wallet) => void readAgain(wallet).catch(() => undefined),
  }
}

export type Transactions = ReturnType<typeof createTransactions>

class CancelledError extends Error {
  override readonly name = 'CancelledError'
}

const UNSIGNED: readonly State['name'][] = ['prepared', 'signing']
const SIGNED: readonly State['name'][] = ['submitting', 'unknown']

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Sends transactions with a review before each signature, and follows each signed one until its
 * outcome is known. The client calls the signer only with bytes that contain exactly the requested
 * instructions; the review shows these bytes.
 */
export function createTransactions(gateway: Gateway, pauseMs = 2_000) {
  const store = createStore<Snapshot>({ flows: [], shown: null, blockHeight: null })
  let lastKey = 0
  /** The answers to the reviews that are open. */
  const answers = new Map<number, (sign: boolean) => void>()

  const set = (changes: Partial<Snapshot>): void => store.set({ ...store.get(), ...changes })
  const find = (key: number): Flow | undefined => store.get().flows.find((flow) => flow.key === key)
  const change = (key: number, changes: Partial<Flow>): void => {
    const { flows } = store.get()
    const at = flows.findIndex((flow) => flow.key === key)
    if (at >= 0) set({ flows: flows.with(at, { ...flows[at]!, ...changes }) })
  }
  const add = (flow: Omit<Flow, 'key'>): number => {
    lastKey += 1
    set({ flows: [...store.get().flows, { ...flow, key: lastKey }] })
    return lastKey
  }
  const remove = (key: number): void => set({ flows: store.get().flows.filter((flow) => flow.key !== key) })

  const dispatch = (key: number, event: Event): void => {
    const before = find(key)?.state
    if (before === undefined) return
    const state = next(before, event)
    if (isUnfinished(before) && !isUnfinished(state)) removeUnfinished(before.unfinished.id)
    change(key, { state })
  }

  /** Whether it can no longer land, because the ledger is above its last block height. */
  const hasPassed = async (key: number, last: number): Promise<boolean> => {
    const blockHeight = await gateway.blockHeight().catch(() => null)
    // An old one would show a wrong number of blocks.
    set({ blockHeight })
    if (blockHeight === null) return false
    if (blockHeight > last) dispatch(key, { kind: 'passed' })
    return blockHeight > last
  }
  /** Ends when it can no longer land, or when its state is another one. */
  const watchHeight = async (key: number, last: number, names: readonly State['name'][]) => {
    while (names.includes(find(key)?.state.name ?? 'landed') && !(await hasPassed(key, last)))
      await wait(pauseMs)
  }

  /** Sends a transaction, and asks for its outcome until there is one. */
  const follow = async (key: number, wallet: string, first: () => Promise<Transaction>): Promise<void> => {
    for (let attempt = first; ;) {
      try {
        const transaction = await attempt()
        dispatch(key, { kind: 'landed', transaction })
        return gateway.onLanded(wallet)
      } catch (error) {
        const state = find(key)?.state
        if (state === undefined || error instanceof CancelledError) return
        dispatch(key, await eventOf(error, state, gateway))
      }
      const state = find(key)?.state
      if (state === undefined || !isUnfinished(state) || !isFollowed(state)) return
      const { unfinished } = state
      if (state.name === 'unknown' && state.refusal !== null)
        await watchHeight(key, unfinished.lastValidBlockHeight, ['unknown'])
      await wait(pauseMs)
      attempt = () => resume(key, unfinished)
    }
  }

  const resume = async (key: number, unfinished: UnfinishedTransaction): Promise<Transaction> =>
    (await gateway.registry()).transactions.resume(unfinished, {
      onProgress: (progress) => dispatchProgress(key, progress),
    })

  const dispatchProgress = (key: number, progress: 'submitting' | 'unknown' | 'submitted'): void => {
    if (progress !== 'submitting') dispatch(key, { kind: progress === 'unknown' ? 'unsure' : 'submitted' })
  }

  const send = (key: number, title: string, request: TransactionRequest, { signer }: Wallet) => {
    let lastValidBlockHeight = 0
    let program = ''
    const reviewing: Signer = {
      address: signer.address,
      signTransaction: async (bytes) => {
        dispatch(key, { kind: 'prepared', prepared: { bytes, program, lastValidBlockHeight } })
        void watchHeight(key, lastValidBlockHeight, UNSIGNED)
        const { promise: answer, resolve } = Promise.withResolvers<boolean>()
        answers.set(key, resolve)
        if (await answer) dispatch(key, { kind: 'sign' })
        const checkOpen = (): void => {
          if (find(key)?.state.name !== 'signing') throw new CancelledError('Cancelled')
        }
        checkOpen()
        const signed = await signer.signTransaction(bytes)
        // Closed or expired meanwhile: do not send what the reader turned away from.
        checkOpen()
        return signed
      },
    }
    return follow(key, signer.address, async () => {
      const trusted = await gateway.trusted()
      program = trusted.program
      return request.send(trusted.registry, reviewing, {
        onPrepared: (prepared) => {
          lastValidBlockHeight = prepared.lastValidBlockHeight
        },
        onSigned: (transaction) => {
          change(key, { isStored: storeUnfinished({ wallet: signer.address, title, transaction }) })
          dispatch(key, { kind: 'signed', unfinished: transaction })
          void watchHeight(key, lastValidBlockHeight, SIGNED)
        },
        onProgress: (progress) => dispatchProgress(key, progress),
      })
    })
  }

  const show = (key: number): void => set({ shown: key })

  /**
   * Shows the transaction of this wallet that is not finished, or prepares a new one. With one in
   * the dialog, it is the second click of a double click.
   */
  const start = (request: TransactionRequest, wallet: Wallet): void => {
    const { address } = wallet.signer
    const { flows, shown } = store.get()
    const before = flows.find(
      ({ key, wallet: of, state }) => of === address && (key === shown || isUnfinished(state)),
    )
    if (before !== undefined) return show(before.key)
    const { title } = request
    const key = add({ wallet: address, title, origin: { request, wallet }, isStored: true, state: DRAFT })
    show(key)
    void send(key, title, request, wallet)
  }

  /** A signed transaction stays, and a banner leads to it. */
  const close = (key: number): void => {
    const state = find(key)?.state
    if (store.get().shown === key) set({ shown: null })
    if (state === undefined || isFollowed(state)) return
    if (isUnfinished(state)) removeUnfinished(state.unfinished.id)
    answers.get(key)?.(false)
    answers.delete(key)
    remove(key)
  }

  return {
    start,
    show,
    close,
    sign: (key: number): void => answers.get(key)?.(true),
    /** Only if the state says `mayPrepareAgain`. */
    startAgain: ({ key, origin }: Flow): void => {
      close(key)
      if (origin !== null) start(origin.request, origin.wallet)
    },
    /** Continues what was signed before the page was loaded. */
    resumeStored: (): void => {
      for (const { wallet, title, transaction } of readUnfinished()) {
        const key = add({ wallet, title, origin: null, isStored: true, state: resumed(transaction) })
        void watchHeight(key, transaction.lastValidBlockHeight, SIGNED)
        void follow(key, wallet, () => resume(key, transaction))
      }
    },
    snapshot: store.get,
    subscribe: store.subscribe,
  }
}

/** What an error tells about a transaction. */
async function eventOf(error: unknown, state: State, gateway: Gateway): Promise<Event> {
  if (!isUnfinished(state)) return { kind: 'stopped', problem: problemBefore(error, state.name) }
  const { id } = state.unfinished
  const hasPassed = state.name === 'unknown' && state.chance === 'passed'
  if ((error as Error).name === 'TransactionFailedError') {
    const { code } = error as TransactionFailedError
    if (code === 'execution_failed')
      return { kind: 'failed', problem: problemOf(error, 'The transaction failed', id) }
    if (code === 'blockhash_expired' || code === 'dropped' || hasPassed)
      return { kind: 'expired', problem: problemOf(error, 'The transaction expired', id) }
    return { kind: 'refused', problem: problemOf(error, 'The gateway did not send it', id) }
  }
  if ((error as Error).name === 'RegistryError')
    return { kind: 'refused', problem: problemOf(error, 'The gateway refused it', id) }
  return hasPassed && (await isLost(id, gateway)) ? { kind: 'lost' } : { kind: 'unsure' }
}

/** Whether the gateway gave up the search for an expired transaction, or has no record of it. */
async function isLost(id: string, gateway: Gateway): Promise<boolean> {
  try {
    const { error } = await (await gateway.registry()).transactions.get(id)
    return error?.code === 'outcome_unknown'
  } catch (error) {
    return readError(error).code === 'TRANSACTION_NOT_FOUND'
  }
}
