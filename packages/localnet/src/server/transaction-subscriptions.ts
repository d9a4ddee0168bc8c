import type { Commitment } from '../bank/block.ts'
import type { BankListener } from '../bank/events.ts'
import type { TransactionRecord } from '../bank/transaction-record.ts'
import { asList, asPubkey, Config, type Params } from '../rpc/params.ts'
import { invalidParams } from '../rpc/rpc-error.ts'
import type { Subscriber } from './subscriptions.ts'

/** Calls back with each transaction when it reaches the commitment. */
export function transactionsAt(
  commitment: Commitment,
  see: (record: TransactionRecord) => void,
): BankListener {
  if (commitment === 'processed') return { transactionRan: see }
  return {
    blockReached: (reached, { records }) => {
      if (reached === commitment) for (const record of records) see(record)
    },
  }
}

/** logsSubscribe("all" | "allWithVotes" | { mentions: [one key] }, config) */
export function subscribeLogs(subscriber: Subscriber, params: Params): number {
  const mentions = logsFilter(params.required(0, 'filter'))
  const commitment = params.config(1).commitment()
  return subscriber.subscribe('logs', (notify) =>
    transactionsAt(commitment, ({ slot, signature, keys, meta }) => {
      if (mentions !== null && !keys.some((key) => key === mentions)) return
      notify({ context: { slot }, value: { signature, err: meta.err, logs: meta.logMessages } })
    }),
  )
}

function logsFilter(filter: unknown): string | null {
  if (filter === 'all' || filter === 'allWithVotes') return null
  const keys = asList(new Config(filter, 'filter').value('mentions'), 'mentions', Infinity)
  if (keys.length !== 1) throw invalidParams('Invalid Request: Only 1 address supported')
  return asPubkey(keys[0], 'mentions')
}

/** signatureSubscribe(signature, config): one notification, then the subscription is over. */
export function subscribeSignature(subscriber: Subscriber, params: Params): number {
  const wanted = params.signature(0, 'signature')
  const config = params.config(1)
  const commitment = config.commitment()
  const received = config.flag('enableReceivedNotification')
  return subscriber.subscribe('signature', (notify, end) => {
    let done = false
    const finish = (slot: number, err: unknown): void => {
      if (done) return
      done = true
      notify({ context: { slot }, value: { err } })
      end()
    }
    const { bank } = subscriber
    subscriber.afterAnswer(() => {
      const landed = bank.landed(wanted)
      if (landed !== null && received) notify({ context: { slot: landed.slot }, value: 'receivedSignature' })
      if (landed !== null && landed.slot <= bank.view(commitment).slot) finish(landed.slot, landed.err)
    })
    const watch = transactionsAt(commitment, ({ slot, signature, meta }) => {
      if (signature === wanted) finish(slot, meta.err)
    })
    if (!received || commitment === 'processed') return watch
    const announce = transactionsAt('processed', ({ slot, signature }) => {
      if (signature === wanted) notify({ context: { slot }, value: 'receivedSignature' })
    })
    return { ...watch, ...announce }
  })
}
