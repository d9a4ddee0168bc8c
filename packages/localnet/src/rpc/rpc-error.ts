import type { Execution } from '../vm/execution.ts'
import { type TransactionError, transactionErrorText } from '../vm/transaction-errors.ts'

/** An error response of JSON-RPC. The codes are those of Solana. */
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

// A node resolves lookup tables when it reads the transaction, before it simulates or sends it.
const TABLE_ERRORS: ReadonlySet<unknown> = new Set([
  'AddressLookupTableNotFound',
  'InvalidAddressLookupTableOwner',
  'InvalidAddressLookupTableData',
  'InvalidAddressLookupTableIndex',
])

/** Throws -32602 if the error is that a lookup table cannot be resolved. */
export function refuseUnresolvedTables(err: TransactionError | null): void {
  if (err !== null && TABLE_ERRORS.has(err))
    throw invalidParams(`invalid transaction: ${transactionErrorText(err)}`)
}
