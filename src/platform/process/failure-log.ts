import { knownError } from '../../domain/known-error.ts'
import type { Logger } from '../logger.ts'
import { OperatorError } from './operator-error.ts'

/** Logs a failure that repeats once, and again when its reason changes. */
export function createFailureLog(logger: Pick<Logger, 'warn'>, message: string) {
  let reported: string | null = null
  return {
    report: (error: unknown): void => {
      const reason = error instanceof Error ? error.message : String(error)
      if (reason === reported) return
      reported = reason
      // If the ledger or the database is unavailable, a stack trace says nothing more.
      const isOutage = error instanceof OperatorError || knownError(error) !== null
      logger.warn(isOutage ? { reason } : { err: error }, message)
    },
    /** The work succeeds again. */
    clear: (): void => {
      reported = null
    },
  }
}
