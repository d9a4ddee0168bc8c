import { OperatorError } from '../platform/process/operator-error.ts'

/** The exit code of a command that signed a transaction and does not know whether it landed. */
export const OUTCOME_UNKNOWN = 3

interface CommandErrorOptions extends ErrorOptions {
  /** 1 by default. */
  readonly exitCode?: number
}

/** A command failed. The message says why and what to do. */
export class CommandError extends OperatorError {
  override readonly name = 'CommandError'
  /** What `--json` adds to the message, such as the code of a gateway's error. */
  readonly details: Readonly<Record<string, unknown>>
  readonly exitCode: number

  constructor(
    message: string,
    details: Readonly<Record<string, unknown>> = {},
    { exitCode = 1, ...options }: CommandErrorOptions = {},
  ) {
    super(message, options)
    this.details = details
    this.exitCode = exitCode
  }
}
