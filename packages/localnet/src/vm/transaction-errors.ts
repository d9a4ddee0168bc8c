import { type FailedTransactionMetadata, InstructionErrorCustom } from 'litesvm/dist/internal.js'

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

type VmError = ReturnType<FailedTransactionMetadata['err']>

export function toTransactionError(error: VmError): TransactionError {
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

/** An InstructionError in Solana's JSON: 'InvalidSeeds' or {"Custom":6000}. */
type InstructionError = string | { readonly Custom: number }

/**
 * The names and the texts of Solana's enum InstructionError. The VM reports an error by its
 * position in the enum, so the order counts. An error without a text shows its name.
 */
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
  DuplicateAccountIndex: '',
  ExecutableModified: 'instruction changed executable bit of an account',
  RentEpochModified: '',
  NotEnoughAccountKeys: 'insufficient account keys for instruction',
  AccountDataSizeChanged: "program other than the account's owner changed the size of the account data",
  AccountNotExecutable: 'instruction expected an executable account',
  AccountBorrowFailed: 'instruction tries to borrow reference for an account which is already borrowed',
  AccountBorrowOutstanding: 'instruction left account with an outstanding borrowed reference',
  DuplicateAccountOutOfSync: '',
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
  BuiltinProgramsMustConsumeComputeUnits: '',
  BorshIoError: 'Failed to serialize or deserialize account data',
}
const INSTRUCTION_NAMES = Object.keys(INSTRUCTION_TEXTS)

type VmInstructionError = Extract<VmError, { err: unknown }>

function toInstructionError(error: ReturnType<VmInstructionError['err']>): InstructionError {
  if (typeof error === 'number') return INSTRUCTION_NAMES[error] ?? 'GenericError'
  return error instanceof InstructionErrorCustom ? { Custom: error.code } : 'BorshIoError'
}

/** The text with which a Solana node describes the error. */
function instructionErrorText(error: InstructionError): string {
  if (typeof error === 'string') return INSTRUCTION_TEXTS[error] || error
  return `custom program error: 0x${error.Custom.toString(16)}`
}
