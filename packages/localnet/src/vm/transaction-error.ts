import { type FailedTransactionMetadata, InstructionErrorCustom } from 'litesvm/dist/internal.js'
import { INSTRUCTION_ERRORS, TRANSACTION_ERRORS } from './error-names.ts'

/** A TransactionError as Solana's JSON shows it: "AlreadyProcessed" or {"InstructionError":[0,{"Custom":6000}]}. */
export type TransactionError = string | { readonly [kind: string]: unknown }

type VmError = ReturnType<FailedTransactionMetadata['err']>
type VmInstructionError = ReturnType<Extract<VmError, { err: unknown }>['err']>

export function toTransactionError(error: VmError): TransactionError {
  if (typeof error === 'number') return TRANSACTION_ERRORS[error] ?? `Unknown${String(error)}`
  if ('err' in error) return { InstructionError: [error.index, toInstructionError(error.err())] }
  if ('index' in error) return { DuplicateInstruction: error.index }
  const kind = error.constructor.name.replace('TransactionError', '')
  return { [kind]: { account_index: error.accountIndex } }
}

function toInstructionError(error: VmInstructionError): unknown {
  if (typeof error === 'number') return INSTRUCTION_ERRORS[error] ?? 'GenericError'
  if (error instanceof InstructionErrorCustom) return { Custom: error.code }
  return 'BorshIoError'
}
