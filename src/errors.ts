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
  INVALID_TEXT: { status: 400, message: '{parameter} {problem}, got {value}' },
  INVALID_RANGE: {
    status: 400,
    message: '{low} must not be greater than {high}, got {lowValue} and {highValue}',
  },
  UNKNOWN_PARAMETER: { status: 400, message: 'Unknown parameter {given}. Known parameters: {known}' },
  REPEATED_PARAMETER: { status: 400, message: '{parameter} must be given once, got {count} values' },
  INVALID_ENCODING: {
    status: 400,
    message: '{given} must be UTF-8 in percent-encoding, got {value}',
  },
  INVALID_JSON: { status: 400, message: 'The body must be valid JSON: {problem}' },
  INVALID_REQUEST: { status: 400, message: '{problem}' },
  QUERY_TOO_LARGE: {
    status: 400,
    message:
      'The query asks for more than {max} values in nested lists: lower their limits or select fewer fields',
  },
  PATH_NOT_FOUND: { status: 404, message: 'Not found: {path}' },
  METHOD_NOT_ALLOWED: { status: 405, message: '{method} is not allowed here. Allowed methods: {allowed}' },
  BODY_TOO_LARGE: { status: 413, message: 'The body must not be larger than {max} bytes' },
  NOT_ACCEPTABLE: { status: 406, message: 'Accept must allow application/json, got {value}' },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    message: 'Content-Type must be application/json, got {value}',
  },
  EXPECTATION_FAILED: { status: 417, message: 'Expect must be 100-continue, got {value}' },
  NOT_READY: { status: 503, message: 'Not ready: {missing}' },
  DATABASE_UNAVAILABLE: { status: 503, message: 'The database does not answer now' },
  LEDGER_UNAVAILABLE: { status: 503, message: 'The ledger RPC node cannot be reached' },
} as const satisfies Record<string, { status: number; message: string }>

export type ErrorCode = keyof typeof ERRORS

/** Context that names an input of the service, in camelCase; a door may spell such names its own way. */
const PARAMETER_NAMES: ReadonlySet<string> = new Set(['parameter', 'low', 'high'])

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
    super(fill(ERRORS[code].message, context), rest[1])
    this.code = code
    this.status = ERRORS[code].status
    this.context = context
  }

  /** The message with parameters spelled as the door's clients know them, for instance min_reputation. */
  messageNaming(spell: (parameter: string) => string): string {
    const spelled = Object.entries(this.context).map(([name, value]) => [
      name,
      PARAMETER_NAMES.has(name) ? spell(String(value)) : value,
    ])
    return fill(ERRORS[this.code].message, Object.fromEntries(spelled))
  }
}

function fill(message: string, context: Readonly<Record<string, string | number>>): string {
  return message.replace(/\{([a-zA-Z]+)\}/g, (text, name: string) => String(context[name] ?? text))
}

export function isDomainError<Code extends ErrorCode>(
  error: unknown,
  code?: Code,
): error is DomainError<Code> {
  return error instanceof DomainError && (code === undefined || error.code === code)
}
