import type { LedgerView } from '../bank/ledger-view.ts'
import { type AccountKeys, accountKeys } from '../bank/account-keys.ts'
import type { Simulation } from '../vm/vm.ts'
import type { WireTransaction } from '../../ledger/wire/transaction.ts'
import type { RpcContext } from './context.ts'

export interface SimulationResult extends Simulation {
  readonly keys: AccountKeys
}

export interface SimulationRules {
  readonly sigVerify: boolean
  /** Whether an unknown blockhash and a signature that is on the ledger already are errors. */
  readonly checkAge: boolean
}

/** Runs a transaction against the ledger as the view shows it, leaving nothing behind. */
export function simulate(
  { bank, vm }: RpcContext,
  view: LedgerView,
  transaction: WireTransaction,
  { sigVerify, checkAge }: SimulationRules,
): SimulationResult {
  const { message, signature } = transaction
  const keys = accountKeys(message, (key) => view.account(key))
  const refused = (err: string): SimulationResult => ({ ...NOTHING, err, keys })
  if (checkAge && !view.isBlockhashValid(message.blockhash)) return refused('BlockhashNotFound')
  if (checkAge && bank.landed(signature) !== null) return refused('AlreadyProcessed')
  const involved = [...keys.all, ...message.lookups.map((each) => each.table)]
  return { ...view.withState(involved, () => vm.simulate(transaction.bytes, sigVerify)), keys }
}

const NOTHING = {
  logs: [],
  innerInstructions: [],
  computeUnitsConsumed: 0,
  returnData: null,
  postAccounts: new Map(),
} satisfies Omit<Simulation, 'err'>
