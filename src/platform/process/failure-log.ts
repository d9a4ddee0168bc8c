import { knownError } from '../../domain/known-error.ts'
import type { Logger } from '../logger.ts'
import { OperatorError } from './operator-error.ts'

/** Logs a failure that repeats once, and again when its reason changes. */
export interface FailureLog {
  readonly report: (error: unknown) => void
  /** The work succeeds again. */
  readonly clear: () => void
}

export function createFailureLog(logger: Pick<Logger, 'warn'>, message: string): FailureLog {
  let reported: string | null = null
  return {
    report: (error) => {
      const reason = error instanceof Error ? error.message : String(error)
      if (reason === reported) return
      reported = reason
      logger.warn(isOutage(error) ? { reason } : { err: error }, message)
    },
    clear: () => (reported = null),
  }
}

/**
 * The ledger or the database is unavailable: the message is enough, a stack trace is not needed.
 */
function isOutage(error: unknown): boolean {
  return error instanceof OperatorError || knownError(error) !== null
}
