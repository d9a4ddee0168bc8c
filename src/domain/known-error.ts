import { DomainError, isDomainError } from './errors.ts'

/**
 * SQLSTATE codes of a server that stops, starts, is full, or cancelled a statement on timeout.
 * 08P01 is a statement that it could not read.
 */
const OUTAGE_STATES = /^(08(?!P01)...|57P0[123]|53...|57014)$/
/** Errors of the connection pool that have no code. */
const OUTAGE_MESSAGES =
  /timeout exceeded when trying to connect|Connection terminated|is not queryable|driver has already been destroyed|Cannot use a pool after calling end/

/** Converts what was thrown into an error for the client. Null for an unexpected error. */
export function knownError(thrown: unknown): DomainError | null {
  if (isDomainError(thrown)) return thrown
  if (!(thrown instanceof Error)) return null
  const { code, syscall } = thrown as NodeJS.ErrnoException
  const down =
    syscall === 'connect' || code === 'ECONNRESET' || code === 'EPIPE' || OUTAGE_STATES.test(code ?? '')
  return down || OUTAGE_MESSAGES.test(thrown.message)
    ? new DomainError('DATABASE_UNAVAILABLE', {}, { cause: thrown })
    : null
}
