/**
 * Every error the service tells a client. `{name}` in a message is filled from the error's context.
 * Texts named in the contract are used exactly; codes are never renamed or reused.
 */
export const ERRORS = {
  AGENT_NOT_FOUND: { status: 404, message: 'Agent not found' },
  STAKE_NOT_FOUND: { status: 404, message: 'Stake account not found' },
  INVALID_PUBKEY: {
    status: 400,
    message: '{parameter} must be a base-58 public key of 32 bytes, got {value}',
  },
  INVALID_INTEGER: {
    status: 400,
    message: '{parameter} must be an integer from {min} to {max}, got {value}',
  },
  INVALID_ENUM: { status: 400, message: '{parameter} must be one of {allowed}, got {value}' },
  INVALID_BOOLEAN: { status: 400, message: '{parameter} must be true or false, got {value}' },
  INVALID_TEXT: { status: 400, message: '{parameter} {problem}' },
  INVALID_RANGE: { status: 400, message: '{low} must not be greater than {high}' },
  UNKNOWN_PARAMETER: { status: 400, message: 'Unknown parameter {parameter}. Known parameters: {known}' },
  REPEATED_PARAMETER: { status: 400, message: '{parameter} must be given once' },
  INVALID_REQUEST: { status: 400, message: '{problem}' },
  LEDGER_UNAVAILABLE: { status: 503, message: 'The ledger RPC node cannot be reached' },
} as const satisfies Record<string, { status: number; message: string }>

export type ErrorCode = keyof typeof ERRORS

type Placeholders<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never

/** The context that an error of this code needs: one value for each `{name}` in its message. */
export type ErrorContext<Code extends ErrorCode> = {
  readonly [Name in Placeholders<(typeof ERRORS)[Code]['message']>]: string | number
}

/** An error that a client caused or may be told about. Anything else that is thrown is a defect: 500, no detail. */
export class DomainError<Code extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'DomainError'
  readonly code: Code
  readonly status: number
  readonly context: Readonly<Record<string, string | number>>

  constructor(
    code: Code,
    ...rest: keyof ErrorContext<Code> extends never
      ? [context?: Record<string, never>, options?: ErrorOptions]
      : [context: ErrorContext<Code>, options?: ErrorOptions]
  ) {
    const context: Record<string, string | number> = { ...rest[0] }
    super(
      ERRORS[code].message.replace(/\{([a-zA-Z]+)\}/g, (text, name: string) => String(context[name] ?? text)),
      rest[1],
    )
    this.code = code
    this.status = ERRORS[code].status
    this.context = context
  }
}

export function isDomainError<Code extends ErrorCode>(
  error: unknown,
  code?: Code,
): error is DomainError<Code> {
  return error instanceof DomainError && (code === undefined || error.code === code)
}
