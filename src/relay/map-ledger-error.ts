import { DomainError } from '../domain/errors.ts'
import { withTimeout } from '../platform/async/promises.ts'
import { LedgerRpcError } from '../ledger/rpc/rpc-error.ts'

/** A client that waits for a node does not wait longer. Milliseconds. */
const MAX_WAIT_MS = 10_000

/** Throws LEDGER_UNAVAILABLE if a call of the ledger node fails, or takes too long. */
export async function mapLedgerError<Result>(call: Promise<Result>): Promise<Result> {
  try {
    const result = await withTimeout(
      MAX_WAIT_MS,
      call.then((value) => ({ value })),
    )
    if (result === null) throw new LedgerRpcError('timeout', 'the ledger node did not respond in time')
    return result.value
  } catch (error) {
    if (error instanceof LedgerRpcError) throw new DomainError('LEDGER_UNAVAILABLE', {}, { cause: error })
    throw error
  }
}
