import { OperatorError } from '../platform/process/operator-error.ts'

/** A command failed. The message says why and what to do. Exit code 1. */
export class CommandError extends OperatorError {
  override readonly name = 'CommandError'
}
