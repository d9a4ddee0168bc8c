import type { Logger } from '../logger.ts'
import type { Bank } from '../bank/bank.ts'
import type { LedgerView } from '../bank/ledger-view.ts'
import type { FaultControls } from '../faults/fault-controls.ts'
import type { Faucet } from '../faucet.ts'
import type { LedgerStore } from '../store/ledger-store.ts'
import type { Vm } from '../vm/vm.ts'
import type { Config, Params } from './params.ts'
import { minContextSlotNotReached } from './rpc-error.ts'

/** What the methods work on. */
export interface RpcContext {
  readonly bank: Bank
  readonly vm: Vm
  readonly store: LedgerStore
  readonly faucet: Faucet
  readonly faults: FaultControls
  readonly logger: Logger
}

export type RpcMethod = (context: RpcContext, params: Params) => unknown

/** The version that this server claims to be. */
export const API_VERSION = '4.2.0'

export interface WithContext<T> {
  readonly context: { readonly apiVersion: string; readonly slot: number }
  readonly value: T
}

export function withContext<T>(view: LedgerView, value: T): WithContext<T> {
  return { context: { apiVersion: API_VERSION, slot: view.slot }, value }
}

/** The view at the configured commitment, finalized by default; -32016 when it is behind `minContextSlot`. */
export function configuredView({ bank }: RpcContext, config: Config): LedgerView {
  const view = bank.view(config.commitment())
  const minimum = config.integer('minContextSlot')
  if (minimum !== undefined && view.slot < minimum) throw minContextSlotNotReached(view.slot)
  return view
}
