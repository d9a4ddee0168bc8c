import type { Ledger } from '../../ledger.ts'
import type { CallHandler } from '../json-rpc.ts'
import type { RpcMethods } from '../method.ts'
import { RpcError } from '../rpc-error.ts'
import { accountMethods } from './accounts.ts'
import { blockMethods } from './blocks.ts'
import { clusterMethods } from './cluster.ts'
import { localnetMethods } from './localnet.ts'
import { sendingMethods } from './sending.ts'
import { simulateTransaction } from './simulate-transaction.ts'
import { tokenMethods } from './tokens.ts'
import { transactionMethods } from './transactions.ts'

/** The methods of the HTTP interface by their name. */
export const METHODS: RpcMethods = {
  ...accountMethods,
  ...blockMethods,
  ...clusterMethods,
  ...localnetMethods,
  ...sendingMethods,
  ...tokenMethods,
  ...transactionMethods,
  simulateTransaction,
}

/** Runs the methods of the HTTP interface. */
export function createDispatcher(ledger: Ledger): CallHandler {
  return (name, params) => {
    const method = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined
    if (method === undefined) throw new RpcError(-32601, 'Method not found')
    return method(ledger, params)
  }
}
