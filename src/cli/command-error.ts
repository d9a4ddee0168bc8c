import { OperatorError } from '../platform/process/operator-error.ts'

/** A command failed. The message says why and what to do. Exit code 1. */
export class CommandError extends OperatorError {
  override readonly name = 'CommandError'
  /** What `--json` adds to the message, such as the code of a gateway's error. */
  readonly details: Readonly<Record<string, unknown>>

  constructor(message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message)
    this.details = details
  }
}
