import type { Execution } from '../vm/execution.ts'
import { transactionErrorText } from '../vm/error-text.ts'
import type { TransactionError } from '../vm/transaction-error.ts'

/** An error answer of JSON-RPC, with Solana's codes. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

export function invalidParams(message: string): RpcError {
  return new RpcError(-32602, message)
}

export function invalidRequest(message: string): RpcError {
  return new RpcError(-32600, message)
}

export function preflightFailure(err: TransactionError, execution: Execution | null): RpcError {
  return new RpcError(-32002, `Transaction simulation failed: ${transactionErrorText(err)}`, {
    accounts: null,
    err,
    innerInstructions: null,
    loadedAccountsDataSize: 0,
    logs: execution?.logs ?? [],
    replacementBlockhash: null,
    returnData: execution?.returnData ?? null,
    unitsConsumed: execution?.computeUnitsConsumed ?? 0,
  })
}

// Nodes resolve lookup tables while they read the transaction, before they simulate or send it.
const TABLE_ERRORS: ReadonlySet<unknown> = new Set([
  'AddressLookupTableNotFound',
  'InvalidAddressLookupTableOwner',
  'InvalidAddressLookupTableData',
  'InvalidAddressLookupTableIndex',
])

/** @throws -32602 when the error says that the transaction's lookup tables cannot be resolved */
export function refuseUnresolvedTables(err: TransactionError | null): void {
  if (err !== null && TABLE_ERRORS.has(err))
    throw invalidParams(`invalid transaction: ${transactionErrorText(err)}`)
}

export function signatureVerificationFailure(): RpcError {
  return new RpcError(-32003, 'Transaction signature verification failure')
}

export function blockNotAvailable(slot: number): RpcError {
  return new RpcError(-32004, `Block not available for slot ${slot}`)
}

export function nodeBehind(slots: number): RpcError {
  return new RpcError(-32005, `Node is behind by ${slots} slots`, { numSlotsBehind: slots })
}

export function slotSkipped(slot: number): RpcError {
  return new RpcError(-32007, `Slot ${slot} was skipped, or missing due to ledger jump to recent snapshot`)
}

export function slotSkippedLongTerm(slot: number): RpcError {
  return new RpcError(-32009, `Slot ${slot} was skipped, or missing in long-term storage`)
}

export function unsupportedVersion(version: number): RpcError {
  return new RpcError(
    -32015,
    `Transaction version (${version}) is not supported by the requesting client. Please try the request again with the following configuration parameter: "maxSupportedTransactionVersion": ${version}`,
  )
}

export function minContextSlotNotReached(contextSlot: number): RpcError {
  return new RpcError(-32016, 'Minimum context slot has not been reached', { contextSlot })
}
