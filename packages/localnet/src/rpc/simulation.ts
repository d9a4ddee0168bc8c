import {
  type Pubkey,
  pubkeyFromBytes,
  UPGRADEABLE_LOADER,
  type WireTransaction,
} from '@agent-registry/solana'
import { type AccountKeys, accountKeys } from '../bank/account-keys.ts'
import type { LedgerView } from '../bank/ledger-view.ts'
import { nameLoadFailure } from '../bank/load-failure.ts'
import { withNonceRules } from '../bank/durable-nonce.ts'
import type { Ledger } from '../ledger.ts'
import type { Account } from '../vm/account.ts'
import type { Simulation } from '../vm/vm.ts'
import { refuseUnresolvedTables, RpcError } from './rpc-error.ts'

export type SimulationResult = Simulation & { readonly keys: AccountKeys }

const NOTHING: Omit<Simulation, 'err'> = {
  logs: [],
  innerInstructions: [],
  computeUnitsConsumed: 0,
  returnData: null,
  postAccounts: new Map(),
}

/**
 * Runs a transaction on the state of the view and keeps no changes. Throws -32602 if a lookup table
 * cannot be resolved, and -32003 if a signature is not valid. With `checkAge`, an unknown blockhash
 * and a known signature are errors.
 */
export function simulate(
  { bank, vm }: Ledger,
  view: LedgerView,
  { bytes, message, signature }: WireTransaction,
  { sigVerify, checkAge }: { sigVerify: boolean; checkAge: boolean },
): SimulationResult {
  const keys = accountKeys(message, view.account)
  const tables = message.lookups.map((each) => each.table)
  const involved = [...keys.all, ...tables, ...keys.all.flatMap((key) => programDataOf(view.account(key)))]
  const blockhashes = { own: message.blockhash, last: view.tip.blockhash }
  const result = view.withState(involved, () =>
    withNonceRules(vm, keys.all, blockhashes, (toNode) => {
      const simulation = vm.simulate(bytes, sigVerify, keys.idle)
      const accounts = [...simulation.postAccounts].map(([key, each]) => [key, toNode(key, each)] as const)
      return { ...simulation, postAccounts: new Map(accounts) }
    }),
  )
  refuseUnresolvedTables(result.err)
  if (sigVerify && result.err === 'SignatureFailure')
    throw new RpcError(-32003, 'Transaction signature verification failure')
  if (checkAge && !view.isAgeValid(message)) return { ...NOTHING, err: 'BlockhashNotFound', keys }
  const landed = checkAge ? bank.landed(signature) : null
  if (landed !== null && landed.slot <= view.slot) return { ...NOTHING, err: 'AlreadyProcessed', keys }
  return { ...nameLoadFailure(result, message, view.account), keys }
}

const PROGRAM_BYTES = 36

/** The data account of an upgradeable program, or nothing for other accounts. */
function programDataOf(account: Account | null): Pubkey[] {
  if (account?.owner !== UPGRADEABLE_LOADER || !account.executable) return []
  return account.data.length < PROGRAM_BYTES ? [] : [pubkeyFromBytes(account.data.subarray(4, PROGRAM_BYTES))]
}
