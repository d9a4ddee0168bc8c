import { type FailedTransactionMetadata, InstructionErrorCustom } from 'litesvm/dist/internal.js'

/**
 * A TransactionError in Solana's JSON: "AlreadyProcessed" or
 * {"InstructionError":[0,{"Custom":6000}]}.
 */
export type TransactionError = string | { readonly [kind: string]: unknown }

/** The texts of Solana's enum TransactionError. An error without a text shows its name. */
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
  InvalidWritableAccount: 'Transaction loads a writable account that cannot be written',
  TooManyAccountLocks: 'Transaction locked too many accounts',
  AddressLookupTableNotFound: "Transaction loads an address table account that doesn't exist",
  InvalidAddressLookupTableOwner: 'Transaction loads an address table account with an invalid owner',
  InvalidAddressLookupTableData: 'Transaction loads an address table account with invalid data',
  InvalidAddressLookupTableIndex: 'Transaction address table lookup uses an invalid index',
  InvalidRentPayingAccount: 'Transaction leaves an account with a lower balance than rent-exempt minimum',
  MaxLoadedAccountsDataSizeExceeded: 'Transaction exceeded max loaded accounts data size cap',
  InvalidLoadedAccountsDataSizeLimit:
    'LoadedAccountsDataSizeLimit set for transaction must be greater than 0.',
  UnbalancedTransaction: 'Sum of account balances before and after transaction do not match',
  ProgramCacheHitMaxLimit: 'Program cache hit max limit',
}

/**
 * The VM numbers errors without their names. The names are in its text:
 * `FailedTransactionMetadata { err: InstructionError(0, InvalidSeeds), …`
 */
function nameOf(failed: FailedTransactionMetadata): string {
  return /\berr: (?:InstructionError\(\d+, )?(\w+)/.exec(failed.toString())?.[1] ?? 'Unknown'
}

export function toTransactionError(failed: FailedTransactionMetadata): TransactionError {
  const error = failed.err()
  if (typeof error === 'number') return nameOf(failed)
  if ('err' in error) {
    const cause = error.err()
    const code = cause instanceof InstructionErrorCustom ? { Custom: cause.code } : nameOf(failed)
    return { InstructionError: [error.index, code] }
  }
  if ('index' in error) return { DuplicateInstruction: error.index }
  return { [nameOf(failed)]: { account_index: error.accountIndex } }
}

/** The text with which a Solana node describes the error. */
export function transactionErrorText(error: TransactionError): string {
  if (typeof error === 'string') return TEXTS[error] ?? error
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

/** An InstructionError in Solana's JSON: 'InvalidSeeds' or {"Custom":6000}. */
type InstructionError = string | { readonly Custom: number }

/** The texts of Solana's enum InstructionError. An error without a text shows its name. */
const INSTRUCTION_TEXTS: Readonly<Record<string, string>> = {
  GenericError: 'generic instruction error',
  InvalidArgument: 'invalid program argument',
  InvalidInstructionData: 'invalid instruction data',
  InvalidAccountData: 'invalid account data for instruction',
  AccountDataTooSmall: 'account data too small for instruction',
  InsufficientFunds: 'insufficient funds for instruction',
  IncorrectProgramId: 'incorrect program id for instruction',
  MissingRequiredSignature: 'missing required signature for instruction',
  AccountAlreadyInitialized: 'instruction requires an uninitialized account',
  UninitializedAccount: 'instruction requires an initialized account',
  UnbalancedInstruction: 'sum of account balances before and after instruction do not match',
  ModifiedProgramId: 'instruction illegally modified the program id of an account',
  ExternalAccountLamportSpend: 'instruction spent from the balance of an account it does not own',
  ExternalAccountDataModified: 'instruction modified data of an account it does not own',
  ReadonlyLamportChange: 'instruction changed the balance of a read-only account',
  ReadonlyDataModified: 'instruction modified data of a read-only account',
  ExecutableModified: 'instruction changed executable bit of an account',
  NotEnoughAccountKeys: 'insufficient account keys for instruction',
  AccountDataSizeChanged: "program other than the account's owner changed the size of the account data",
  AccountNotExecutable: 'instruction expected an executable account',
  AccountBorrowFailed: 'instruction tries to borrow reference for an account which is already borrowed',
  AccountBorrowOutstanding: 'instruction left account with an outstanding borrowed reference',
  InvalidError: 'program returned invalid error code',
  ExecutableDataModified: 'instruction changed executable accounts data',
  ExecutableLamportChange: 'instruction changed the balance of an executable account',
  ExecutableAccountNotRentExempt: 'executable accounts must be rent exempt',
  UnsupportedProgramId: 'Unsupported program id',
  CallDepth: 'Cross-program invocation call depth too deep',
  MissingAccount: 'An account required by the instruction is missing',
  ReentrancyNotAllowed: 'Cross-program invocation reentrancy not allowed for this instruction',
  MaxSeedLengthExceeded: 'Length of the seed is too long for address generation',
  InvalidSeeds: 'Provided seeds do not result in a valid address',
  InvalidRealloc: 'Failed to reallocate account data',
  ComputationalBudgetExceeded: 'Computational budget exceeded',
  PrivilegeEscalation: 'Cross-program invocation with unauthorized signer or writable account',
  ProgramEnvironmentSetupFailure: 'Failed to create program execution environment',
  ProgramFailedToComplete: 'Program failed to complete',
  ProgramFailedToCompile: 'Program failed to compile',
  Immutable: 'Account is immutable',
  IncorrectAuthority: 'Incorrect authority provided',
  AccountNotRentExempt: 'An account does not have enough lamports to be rent-exempt',
  InvalidAccountOwner: 'Invalid account owner',
  ArithmeticOverflow: 'Program arithmetic overflowed',
  UnsupportedSysvar: 'Unsupported sysvar',
  IllegalOwner: 'Provided owner is not allowed',
  MaxAccountsDataAllocationsExceeded:
    'Accounts data allocations exceeded the maximum allowed per transaction',
  MaxAccountsExceeded: 'Max accounts exceeded',
  MaxInstructionTraceLengthExceeded: 'Max instruction trace length exceeded',
  BorshIoError: 'Failed to serialize or deserialize account data',
}

/** The text with which a Solana node describes the error. */
function instructionErrorText(error: InstructionError): string {
  if (typeof error === 'string') return INSTRUCTION_TEXTS[error] ?? error
  return `custom program error: 0x${error.Custom.toString(16)}`
}
