import { instructionErrorText } from './instruction-error-text.ts'
import type { TransactionError } from './transaction-error.ts'

const TEXTS: Readonly<Record<string, string>> = {
  AccountInUse: 'Account in use',
  AccountLoadedTwice: 'Account loaded twice',
  AccountNotFound: 'Attempt to debit an account but found no record of a prior credit.',
  ProgramAccountNotFound: 'Attempt to load a program that does not exist',
  InsufficientFundsForFee: 'Insufficient funds for fee',
  InvalidAccountForFee: 'This account may not be used to pay transaction fees',
  AlreadyProcessed: 'This transaction has already been processed',
  BlockhashNotFound: 'Blockhash not found',
  MissingSignatureForFee: 'Transaction requires a fee but has no signature present',
  InvalidAccountIndex: 'Transaction contains an invalid account reference',
  SignatureFailure: 'Transaction did not pass signature verification',
  InvalidProgramForExecution: 'This program may not be used for executing instructions',
  SanitizeFailure: 'Transaction failed to sanitize accounts offsets correctly',
  UnsupportedVersion: 'Transaction version is unsupported',
  TooManyAccountLocks: 'Transaction locked too many accounts',
  AddressLookupTableNotFound: "Transaction loads an address table account that doesn't exist",
  InvalidAddressLookupTableOwner: 'Transaction loads an address table account with an invalid owner',
  InvalidAddressLookupTableData: 'Transaction loads an address table account with invalid data',
  InvalidAddressLookupTableIndex: 'Transaction address table lookup uses an invalid index',
  MaxLoadedAccountsDataSizeExceeded: 'Transaction exceeded max loaded accounts data size cap',
  InvalidLoadedAccountsDataSizeLimit:
    'LoadedAccountsDataSizeLimit set for transaction must be greater than 0.',
  InvalidRentPayingAccount: 'Transaction leaves an account with a lower balance than rent-exempt minimum',
  InvalidWritableAccount: 'Transaction loads a writable account that cannot be written',
  UnbalancedTransaction: 'Sum of account balances before and after transaction do not match',
  ProgramCacheHitMaxLimit: 'Program cache hit max limit',
}

/** The English text that a Solana node puts into its message for this error. */
export function transactionErrorText(error: TransactionError): string {
  if (typeof error === 'string') return TEXTS[error] ?? error
  const failure = error['InstructionError']
  if (Array.isArray(failure))
    return `Error processing Instruction ${failure[0]}: ${instructionErrorText(failure[1])}`
  const [kind = 'Unknown', detail] = Object.entries(error)[0] ?? []
  const index = (detail as { account_index?: number } | undefined)?.account_index
  if (kind === 'DuplicateInstruction')
    return `Transaction contains a duplicate instruction (${String(detail)}) that is not allowed`
  if (kind === 'InsufficientFundsForRent')
    return `Transaction results in an account (${index}) with insufficient funds for rent`
  if (kind === 'ProgramExecutionTemporarilyRestricted')
    return `Execution of the program referenced by account at index ${index} is temporarily restricted.`
  return `${kind} ${JSON.stringify(detail)}`
}
