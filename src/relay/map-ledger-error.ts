import { DomainError } from '../domain/errors.ts'
import { LedgerRpcError } from '../ledger/rpc/rpc-error.ts'

/** Throws LEDGER_UNAVAILABLE if a call of the ledger node fails. */
export async function mapLedgerError<Result>(call: Promise<Result>): Promise<Result> {
  try {
    return await call
  } catch (error) {
    if (error instanceof LedgerRpcError) throw new DomainError('LEDGER_UNAVAILABLE', {}, { cause: error })
    throw error
  }
}
