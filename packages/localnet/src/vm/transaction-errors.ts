import type { FailedTransactionMetadata } from 'litesvm/dist/internal.js'
import { type InstructionError, instructionErrorText, toInstructionError } from './instruction-errors.ts'

/**
 * A TransactionError in Solana's JSON: "AlreadyProcessed" or
 * {"InstructionError":[0,{"Custom":6000}]}.
 */
export type TransactionError = string | { readonly [kind: string]: unknown }

/**
 * The names and the texts of Solana's enum TransactionError, without the variants that contain
 * data. The VM reports an error by its position, so the order counts. An error without a text shows
 * its name.
 */
const TEXTS: Readonly<Record<string, string>> = {
  AccountInUse: 'Account in use',
  AccountLoadedTwice: 'Account loaded twice',
  AccountNotFound: 'Attempt to debit an account but found no record of a prior credit.',
  ProgramAccountNotFound: 'Attempt to load a program that does not exist',
  InsufficientFundsForFee: 'Insufficient funds for fee',
  InvalidAccountForFee: 'This account may not be used to pay transaction fees',
  AlreadyProcessed: 'This transaction has already been processed',
  BlockhashNotFound: 'Blockhash not found',
  CallChainTooDeep: '',
  MissingSignatureForFee: 'Transaction requires a fee but has no signature present',
  InvalidAccountIndex: 'Transaction contains an invalid account reference',
  SignatureFailure: 'Transaction did not pass signature verification',
  InvalidProgramForExecution: 'This program may not be used for executing instructions',
  SanitizeFailure: 'Transaction failed to sanitize accounts offsets correctly',
  ClusterMaintenance: '',
  AccountBorrowOutstanding: '',
  WouldExceedMaxBlockCostLimit: '',
  UnsupportedVersion: 'Transaction version is unsupported',
  InvalidWritableAccount: 'Transaction loads a writable account that cannot be written',
  WouldExceedMaxAccountCostLimit: '',
  WouldExceedAccountDataBlockLimit: '',
  TooManyAccountLocks: 'Transaction locked too many accounts',
  AddressLookupTableNotFound: "Transaction loads an address table account that doesn't exist",
  InvalidAddressLookupTableOwner: 'Transaction loads an address table account with an invalid owner',
  InvalidAddressLookupTableData: 'Transaction loads an address table account with invalid data',
  InvalidAddressLookupTableIndex: 'Transaction address table lookup uses an invalid index',
  InvalidRentPayingAccount: 'Transaction leaves an account with a lower balance than rent-exempt minimum',
  WouldExceedMaxVoteCostLimit: '',
  WouldExceedAccountDataTotalLimit: '',
  MaxLoadedAccountsDataSizeExceeded: 'Transaction exceeded max loaded accounts data size cap',
  ResanitizationNeeded: '',
  InvalidLoadedAccountsDataSizeLimit:
    'LoadedAccountsDataSizeLimit set for transaction must be greater than 0.',
  UnbalancedTransaction: 'Sum of account balances before and after transaction do not match',
  ProgramCacheHitMaxLimit: 'Program cache hit max limit',
  CommitCancelled: '',
}
const NAMES = Object.keys(TEXTS)

export function toTransactionError(error: ReturnType<FailedTransactionMetadata['err']>): TransactionError {
  if (typeof error === 'number') return NAMES[error] ?? `Unknown${String(error)}`
  if ('err' in error) return { InstructionError: [error.index, toInstructionError(error.err())] }
  if ('index' in error) return { DuplicateInstruction: error.index }
  const kind = error.constructor.name.replace('TransactionError', '')
  return { [kind]: { account_index: error.accountIndex } }
}

/** The text with which a Solana node describes the error. */
export function transactionErrorText(error: TransactionError): string {
  if (typeof error === 'string') return TEXTS[error] || error
  const [kind = 'Unknown', detail] = Object.entries(error)[0] ?? []
  const index = (detail as { account_index?: number }).account_index
  switch (kind) {
    case 'InstructionError': {
      const [position, failure] = detail as [number, InstructionError]
      return `Error processing Instruction ${position}: ${instructionErrorText(failure)}`
    }
    case 'DuplicateInstruction':
      return `Transaction contains a duplicate instruction (${String(detail)}) that is not allowed`
    case 'InsufficientFundsForRent':
      return `Transaction results in an account (${index}) with insufficient funds for rent`
    case 'ProgramExecutionTemporarilyRestricted':
      return `Execution of the program referenced by account at index ${index} is temporarily restricted.`
    default:
      return `${kind} ${JSON.stringify(detail)}`
  }
}
