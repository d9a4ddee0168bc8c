import type { Params } from '../rpc/params.ts'
import { RpcError } from '../rpc/rpc-error.ts'
import { subscribeAccount, subscribeProgram } from './account-subscriptions.ts'
import type { Subscriber } from './subscriptions.ts'
import { subscribeLogs, subscribeSignature } from './transaction-subscriptions.ts'

type Method = (params: Params) => unknown

const KINDS: Readonly<Record<string, (subscriber: Subscriber, params: Params) => number>> = {
  account: subscribeAccount,
  program: subscribeProgram,
  logs: subscribeLogs,
  signature: subscribeSignature,
  slot: (subscriber) => subscriber.subscribe('slot', (notify) => ({ slotStarted: notify })),
  root: subscribeRoot,
}

/** The methods that exist only on a WebSocket: subscribe and unsubscribe of each kind. */
export function subscriptionMethods(subscriber: Subscriber): ReadonlyMap<string, Method> {
  const methods = new Map<string, Method>()
  for (const [kind, subscribe] of Object.entries(KINDS)) {
    methods.set(`${kind}Subscribe`, (params) => subscribe(subscriber, params))
    methods.set(`${kind}Unsubscribe`, (params) => {
      if (subscriber.unsubscribe(params.integer(0, 'subscription'))) return true
      throw new RpcError(-32602, 'Invalid subscription id.')
    })
  }
  return methods
}

function subscribeRoot(subscriber: Subscriber): number {
  let last = subscriber.bank.rootSlot
  return subscriber.subscribe('root', (notify) => ({
    slotStarted: ({ root }) => {
      if (root !== last) notify((last = root))
    },
  }))
}
