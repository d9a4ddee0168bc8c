import type { Bank } from '../bank/bank.ts'
import type { BankListener, SlotChanges } from '../bank/unfinalized-blocks.ts'
import type { Logger } from '../logger.ts'
import { invalidParams, RpcError } from '../rpc/rpc-error.ts'
import type { Pubkey } from '@agent-registry/solana'
import { accountEncoder } from '../rpc/account-encoding.ts'
import { accountFilters } from '../rpc/account-filters.ts'
import { asInteger, asPubkey, asSignature, Config, listOf, type Params } from '../rpc/params.ts'
import { EMPTY_ACCOUNT } from '../vm/account.ts'

const MAX_SUBSCRIPTIONS = 10_000

/** The numbers that all connections share. */
export class SubscriptionCounter {
  open = 0
  lastId = 0
}

/** Sends a notification to the client. */
type Notify = (result: unknown) => void

/** The subscriptions of one connection. */
export class Subscriber {
  readonly bank: Bank
  readonly #logger: Logger
  readonly #counter: SubscriptionCounter
  readonly #send: (message: object) => void
  readonly #removers = new Map<number, () => void>()

  constructor(bank: Bank, logger: Logger, counter: SubscriptionCounter, send: (message: object) => void) {
    this.bank = bank
    this.#logger = logger
    this.#counter = counter
    this.#send = send
  }

  /**
   * @param create receives a function that ends the subscription
   * @returns the number of the subscription
   */
  subscribe(kind: string, create: (notify: Notify, end: () => void) => BankListener): number {
    if (this.#counter.open >= MAX_SUBSCRIPTIONS)
      throw new RpcError(-32603, 'Internal error: Subscription refused. Node subscription limit reached')
    this.#counter.open += 1
    this.#counter.lastId += 1
    const id = this.#counter.lastId
    const notify: Notify = (result) => {
      if (!this.#removers.has(id)) return
      this.#send({ jsonrpc: '2.0', method: `${kind}Notification`, params: { result, subscription: id } })
    }
    const listener = create(notify, () => this.unsubscribe(id))
    this.#removers.set(
      id,
      this.bank.listen({
        slotStarted: (slot) => this.#withoutErrors(() => listener.slotStarted?.(slot)),
        committed: (commitment, changes) =>
          this.#withoutErrors(() => listener.committed?.(commitment, changes)),
      }),
    )
    return id
  }

  /** @returns whether the subscription existed */
  unsubscribe(id: number): boolean {
    this.#removers.get(id)?.()
    const existed = this.#removers.delete(id)
    if (existed) this.#counter.open -= 1
    return existed
  }

  close(): void {
    for (const id of this.#removers.keys()) this.unsubscribe(id)
  }

  // An error in a subscription must not stop the ledger.
  #withoutErrors(work: () => void): void {
    try {
      work()
    } catch (err) {
      this.#logger.warn({ err }, 'localnet notification failed')
    }
  }
}

type Method = (params: Params) => unknown

/** The kinds of subscriptions by the beginning of their method. */
export const SUBSCRIPTIONS: Readonly<Record<string, (subscriber: Subscriber, params: Params) => number>> = {
  account: subscribeAccount,
  program: subscribeProgram,
  logs: subscribeLogs,
  signature: subscribeSignature,
  slot: (subscriber) => subscriber.subscribe('slot', (notify) => ({ slotStarted: notify })),
  root: subscribeRoot,
}

/** The methods that exist only on a WebSocket: subscribe and unsubscribe for each kind. */
export function subscriptionMethods(subscriber: Subscriber): ReadonlyMap<string, Method> {
  const methods = new Map<string, Method>()
  for (const [kind, subscribe] of Object.entries(SUBSCRIPTIONS)) {
    methods.set(`${kind}Subscribe`, (params) => subscribe(subscriber, params))
    methods.set(`${kind}Unsubscribe`, (params) => {
      if (subscriber.unsubscribe(params.required(0, 'subscription', asInteger))) return true
      throw new RpcError(-32602, 'Invalid subscription id.')
    })
  }
  return methods
}

/** Calls `see` with all changes at the commitment of the configuration. */
function subscribeToChanges(
  subscriber: Subscriber,
  kind: string,
  config: Config,
  see: (changes: SlotChanges, notify: Notify) => void,
): number {
  const wanted = config.commitment()
  return subscriber.subscribe(kind, (notify) => ({
    committed: (commitment, changes) => {
      if (commitment === wanted) see(changes, notify)
    },
  }))
}

/** accountSubscribe(key, config) */
function subscribeAccount(subscriber: Subscriber, params: Params): number {
  const key = params.required(0, 'pubkey', asPubkey)
  const config = params.config(1)
  const encode = accountEncoder(config)
  return subscribeToChanges(subscriber, 'account', config, ({ slot, touched }, notify) => {
    if (!touched.has(key)) return
    const view = subscriber.bank.viewAt(slot)
    // A node sends an empty account if the account no longer exists.
    const value = encode(view.account(key) ?? EMPTY_ACCOUNT, view.account)
    notify({ context: { slot }, value })
  })
}

/** programSubscribe(program, config with filters) */
function subscribeProgram(subscriber: Subscriber, params: Params): number {
  const program = params.required(0, 'programId', asPubkey)
  const config = params.config(1)
  const encode = accountEncoder(config)
  const matches = accountFilters(config)
  return subscribeToChanges(subscriber, 'program', config, ({ slot, touched }, notify) => {
    const view = subscriber.bank.viewAt(slot)
    for (const pubkey of touched) {
      const account = view.account(pubkey)
      if (account?.owner !== program || !matches(account)) continue
      notify({ context: { slot }, value: { pubkey, account: encode(account, view.account) } })
    }
  })
}

/** logsSubscribe("all" | "allWithVotes" | { mentions: [one key] }, config) */
function subscribeLogs(subscriber: Subscriber, params: Params): number {
  const mentioned = params.required(0, 'filter', asLogsFilter)
  return subscribeToChanges(subscriber, 'logs', params.config(1), ({ slot, records }, notify) => {
    for (const { signature, keys, meta } of records) {
      if (mentioned !== null && !keys.includes(mentioned)) continue
      notify({ context: { slot }, value: { signature, err: meta.err, logs: meta.logMessages } })
    }
  })
}

function asLogsFilter(filter: unknown): Pubkey | null {
  if (filter === 'all' || filter === 'allWithVotes') return null
  const readMentions = listOf((value) => value, Infinity)
  const mentions = readMentions(new Config(filter, 'filter').value('mentions'), 'mentions')
  if (mentions.length !== 1) throw invalidParams('Invalid Request: Only 1 address supported')
  return asPubkey(mentions[0], 'mentions')
}

/** signatureSubscribe(signature, config): the subscription ends after the notification. */
function subscribeSignature(subscriber: Subscriber, params: Params): number {
  const wanted = params.required(0, 'signature', asSignature)
  const config = params.config(1)
  const commitment = config.commitment()
  const isReceivedWanted = config.flag('enableReceivedNotification')
  const { bank } = subscriber
  return subscriber.subscribe('signature', (notify, end) => {
    const received = (slot: number): void => {
      if (isReceivedWanted) notify({ context: { slot }, value: 'receivedSignature' })
    }
    const finish = (slot: number, err: unknown): void => {
      notify({ context: { slot }, value: { err } })
      end()
    }
    // The transaction may already be in the ledger. The response to this call is sent first.
    queueMicrotask(() => {
      const landed = bank.landed(wanted)
      if (landed === null) return
      received(landed.slot)
      if (landed.slot <= bank.view(commitment).slot) finish(landed.slot, landed.err)
    })
    return {
      committed: (reached, { records }) => {
        const record = records.find((each) => each.signature === wanted)
        if (record === undefined) return
        if (reached === commitment) finish(record.slot, record.meta.err)
        else if (reached === 'processed') received(record.slot)
      },
    }
  })
}

function subscribeRoot(subscriber: Subscriber): number {
  let last = subscriber.bank.rootSlot
  return subscriber.subscribe('root', (notify) => ({
    slotStarted: ({ root }) => {
      if (root !== last) notify(root)
      last = root
    },
  }))
}
