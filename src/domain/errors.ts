import {
  AVAILABILITY_ERRORS,
  REGISTRY_ERRORS,
  RELAY_ERRORS,
  REQUEST_ERRORS,
  SESSION_ERRORS,
  SPONSORSHIP_ERRORS,
  WALLET_AUTH_ERRORS,
  WEBHOOK_ERRORS,
} from './error-table.ts'

const TABLE = {
  ...REQUEST_ERRORS,
  ...REGISTRY_ERRORS,
  ...RELAY_ERRORS,
  ...SPONSORSHIP_ERRORS,
  ...WALLET_AUTH_ERRORS,
  ...SESSION_ERRORS,
  ...WEBHOOK_ERRORS,
  ...AVAILABILITY_ERRORS,
} as const

export type ErrorCode = keyof typeof TABLE

/**
 * All errors that clients can receive, in sections. Texts of the contract are used
 * exactly. Codes are never renamed or reused.
 */
export const ERRORS = Object.fromEntries(
  Object.entries(TABLE).map(([code, [status, message]]) => [code, { status, message }]),
) as { readonly [Code in ErrorCode]: { readonly status: number; readonly message: (typeof TABLE)[Code][1] } }

/** Context members that hold parameter names in camelCase. REST shows them in snake_case. */
const PARAMETER_NAMES: ReadonlySet<string> = new Set(['parameter', 'low', 'high'])

type Placeholders<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never

/** The context that an error with this code needs: one value for each `{name}` in its message. */
export type ErrorContext<Code extends ErrorCode> = {
  readonly [Name in Placeholders<(typeof ERRORS)[Code]['message']>]: string | number
}

/** Additional members of the error body. */
export interface ErrorAddition {
  readonly message?: string
  /** Log lines of a simulated transaction. */
  readonly logs?: readonly string[]
}

export interface DomainErrorOptions extends ErrorOptions {
  readonly addition?: ErrorAddition
  /** When the same request may succeed: the Retry-After header. */
  readonly retryAfterSeconds?: number
}

/** An error that the client may see. Any other error becomes a 500 without details. */
export class DomainError<Code extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'DomainError'
  readonly code: Code
  readonly status: number
  readonly context: Readonly<Record<string, string | number>>
  readonly addition: ErrorAddition
  readonly retryAfterSeconds: number | null

  constructor(
    code: Code,
    ...rest: keyof ErrorContext<Code> extends never
      ? [context?: Record<string, never>, options?: DomainErrorOptions]
      : [context: ErrorContext<Code>, options?: DomainErrorOptions]
  ) {
    const context: Record<string, string | number> = { ...rest[0] }
    super(fill(ERRORS[code].message, context), rest[1])
    this.code = code
    this.status = ERRORS[code].status
    this.context = context
    this.addition = rest[1]?.addition ?? {}
    this.retryAfterSeconds = rest[1]?.retryAfterSeconds ?? null
  }

  /** The message with parameter names as the interface spells them, such as min_reputation. */
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

/** The result of `work`. Null for an error with this code. */
export async function nullFor<Result>(code: ErrorCode, work: Promise<Result>): Promise<Result | null> {
  try {
    return await work
  } catch (error) {
    if (isDomainError(error, code)) return null
    throw error
  }
}
