import type { LedgerView } from '../bank/ledger-view.ts'
import type { Ledger } from '../ledger.ts'
import type { Config, Params } from './params.ts'
import { invalidParams, RpcError } from './rpc-error.ts'

export type RpcMethod = (ledger: Ledger, params: Params) => unknown
export type RpcMethods = Readonly<Record<string, RpcMethod>>

/** The node version that this server reports. */
export const API_VERSION = '4.2.0'

export function withContext<T>(view: LedgerView, value: T): { context: object; value: T } {
  return { context: { apiVersion: API_VERSION, slot: view.slot }, value }
}

/** The view at the requested commitment. Throws -32016 if it is older than `minContextSlot`. */
export function configuredView(
  { bank }: Ledger,
  config: Config,
  commitment = config.commitment(),
): LedgerView {
  const view = bank.view(commitment)
  const minimum = config.integer('minContextSlot')
  if (minimum !== undefined && view.slot < minimum)
    throw new RpcError(-32016, 'Minimum context slot has not been reached', { contextSlot: view.slot })
  return view
}

/** The view for methods that read blocks, which exist from commitment confirmed on. */
export function historyView(ledger: Ledger, config: Config): LedgerView {
  if (config.commitment() === 'processed')
    throw invalidParams('Method does not support commitment below `confirmed`')
  return configuredView(ledger, config)
}
