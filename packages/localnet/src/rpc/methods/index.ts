import type { RpcMethod } from '../context.ts'
import { accountMethods } from './accounts.ts'
import { blockMethods } from './blocks.ts'
import { clusterMethods } from './cluster.ts'
import { localnetMethods } from './localnet.ts'
import { sendingMethods } from './sending.ts'
import { simulateTransaction } from './simulate-transaction.ts'
import { tokenMethods } from './tokens.ts'
import { transactionMethods } from './transactions.ts'

export const methods: ReadonlyMap<string, RpcMethod> = new Map(
  Object.entries({
    ...accountMethods,
    ...blockMethods,
    ...clusterMethods,
    ...localnetMethods,
    ...sendingMethods,
    ...tokenMethods,
    ...transactionMethods,
    simulateTransaction,
  }),
)
