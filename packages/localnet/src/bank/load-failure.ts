import { type Message, SYSTEM_PROGRAM } from '@agent-registry/solana'
import type { AccountReader } from '../vm/account.ts'
import type { Execution } from '../vm/execution.ts'
import type { TransactionError } from '../vm/transaction-errors.ts'
import type { Vm } from '../vm/vm.ts'
import { feeForMessage } from './compute-budget.ts'

const LOAD_FAILURES: ReadonlySet<TransactionError | null> = new Set([
  'ProgramAccountNotFound',
  'InvalidProgramForExecution',
  'MaxLoadedAccountsDataSizeExceeded',
])

/** The VM reports a missing program as invalid. Solana has another error for it. */
export function nameLoadFailure<T extends Execution>(
  execution: T,
  { instructions, staticKeys }: Message,
  read: AccountReader,
): T {
  if (execution.err !== 'InvalidProgramForExecution') return execution
  const programs = instructions.map((each) => staticKeys[each.programIdIndex])
  const isMissing = programs.some((key) => key !== undefined && read(key) === null)
  return isMissing ? { ...execution, err: 'ProgramAccountNotFound' } : execution
}

/** Charges the fee if programs or accounts cannot be loaded (SIMD-0191). The VM does not do it. */
export function chargeLoadFailure(vm: Vm, message: Message, err: TransactionError | null): void {
  const [payer] = message.staticKeys
  if (!LOAD_FAILURES.has(err) || payer === undefined) return
  const account = vm.getAccount(payer)
  if (account?.owner !== SYSTEM_PROGRAM) return
  const left = account.lamports - feeForMessage(message)
  if (left !== 0n && left < vm.minimumBalanceForRentExemption(account.data.length)) return
  vm.setAccount(payer, { ...account, lamports: left })
}
