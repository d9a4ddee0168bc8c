import type { Pubkey, WireTransaction } from '@agent-registry/solana'
import type { LedgerView } from '../bank/ledger-view.ts'
import { type AccountKeys, accountKeys } from '../bank/account-keys.ts'
import type { Account } from '../vm/account.ts'
import type { Simulation } from '../vm/vm.ts'
import { nameLoadFailure } from '../bank/load-failure.ts'
import { programDataOf } from '../loader-accounts.ts'
import type { RpcContext } from './context.ts'
import { refuseUnresolvedTables, signatureVerificationFailure } from './rpc-error.ts'

export interface SimulationResult extends Simulation {
  readonly keys: AccountKeys
}

export interface SimulationRules {
  readonly sigVerify: boolean
  /** Whether an unknown blockhash and a signature that is on the ledger already are errors. */
  readonly checkAge: boolean
}

/**
 * Runs a transaction against the ledger as the view shows it, leaving nothing behind.
 * @throws -32602 for lookup tables that cannot be resolved, -32003 for a wrong signature
 */
export function simulate(
  { bank, vm }: RpcContext,
  view: LedgerView,
  transaction: WireTransaction,
  { sigVerify, checkAge }: SimulationRules,
): SimulationResult {
  const { message, signature } = transaction
  const read = (key: Pubkey): Account | null => view.account(key)
  const keys = accountKeys(message, read)
  const tables = message.lookups.map((each) => each.table)
  const involved = [...keys.all, ...tables, ...keys.all.flatMap((key) => programDataOf(read(key)))]
  const result = view.withState(involved, () => vm.simulate(transaction.bytes, sigVerify, keys.idle))
  refuseUnresolvedTables(result.err)
  if (sigVerify && result.err === 'SignatureFailure') throw signatureVerificationFailure()
  const refused = (err: string): SimulationResult => ({ ...NOTHING, err, keys })
  if (checkAge && !view.isBlockhashValid(message.blockhash)) return refused('BlockhashNotFound')
  const landed = checkAge ? bank.landed(signature) : null
  if (landed !== null && landed.slot <= view.slot) return refused('AlreadyProcessed')
  return { ...nameLoadFailure(result, message, read), keys }
}

const NOTHING = {
  logs: [],
  innerInstructions: [],
  computeUnitsConsumed: 0,
  returnData: null,
  postAccounts: new Map(),
} satisfies Omit<Simulation, 'err'>
