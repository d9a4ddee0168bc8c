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
  INVALID_DID: {
    status: 400,
    message: '{parameter} must be did:sol: and a base-58 public key of 32 bytes, got {value}',
  },
  DID_NOT_FOUND: { status: 404, message: 'DID not found' },
  NOT_AGENT_OWNER: { status: 403, message: 'Wallet does not own this agent' },
  CREDENTIAL_SOURCE: { status: 400, message: 'Provide exactly one of credentialUrl or credential' },
  CREDENTIAL_NOT_FETCHED: { status: 422, message: 'Credential could not be fetched' },
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
  INVALID_CURSOR: {
    status: 400,
    message: 'after must be a cursor of this list and order, got {value}',
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
  // The text that clients of automatic persisted queries look for.
  PERSISTED_QUERY_NOT_FOUND: { status: 404, message: 'PersistedQueryNotFound' },
  PATH_NOT_FOUND: { status: 404, message: 'Not found: {path}' },
  METHOD_NOT_ALLOWED: { status: 405, message: '{method} is not allowed here. Allowed methods: {allowed}' },
  BODY_TOO_LARGE: { status: 413, message: 'The body must not be larger than {max} bytes' },
  NOT_ACCEPTABLE: { status: 406, message: 'Accept must allow {type}, got {value}' },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    message: 'Content-Type must be application/json, got {value}',
  },
  EXPECTATION_FAILED: { status: 417, message: 'Expect must be 100-continue, got {value}' },
  BODY_NOT_OBJECT: { status: 400, message: 'The body must be a JSON object' },
  INVALID_TYPE: { status: 400, message: '{parameter} must be {expected}, got {value}' },
  INVALID_BASE64: { status: 400, message: '{parameter} must be base64 with padding, got {value}' },
  INSTRUCTIONS_REQUIRED: { status: 400, message: 'instructions array is required' },
  SIGNERS_REQUIRED: { status: 400, message: 'signerPubkeys array is required' },
  ACCOUNT_KEYS_REQUIRED: { status: 400, message: 'accountKeys array is required' },
  TOO_MANY_ACCOUNT_KEYS: { status: 400, message: 'Too many account keys: {count}, at most {max}' },
  TOO_MANY_INSTRUCTIONS: { status: 400, message: 'Too many instructions: {count}, at most {max}' },
  TRANSACTION_TOO_LARGE: { status: 400, message: 'Transaction too large: {size} bytes, at most {max}' },
  COMPUTE_BUDGET_GIVEN: {
    status: 400,
    message: 'Compute budget instructions are added by the service; choose a priorityLevel instead',
  },
  DURABLE_NONCE: { status: 400, message: 'Durable nonces are not relayed: leave out AdvanceNonceAccount' },
  REPEATED_SIGNER: { status: 400, message: 'signerPubkeys must name each key once' },
  SIGNER_MISSING: { status: 400, message: 'signerPubkeys lacks {key}, which an instruction needs as signer' },
  SIGNER_NOT_NEEDED: {
    status: 400,
    message: 'signerPubkeys names {key}, which no instruction needs as signer',
  },
  CANNOT_SIGN: { status: 400, message: 'signerPubkeys names {key}, which cannot sign' },
  PROGRAM_NOT_ALLOWED: { status: 403, message: 'Program {program} is not allowed by this relay' },
  SIMULATION_FAILED: { status: 422, message: 'Transaction simulation failed' },
  PREPARE_FAILED: { status: 500, message: 'Failed to prepare transaction' },
  SPONSORSHIP_OFF: { status: 503, message: 'Sponsorship is off' },
  DELIVERY_NOT_FOUND: { status: 404, message: 'Delivery not found' },
  WEBHOOK_INACTIVE: { status: 409, message: 'Webhook is not active: set active to true first' },
  EVENT_WITHDRAWN: { status: 409, message: 'The ledger took this event back, so it is not sent again' },
  RECOVERY_TOO_LONG: {
    status: 400,
    message: 'since and until must be at most {max} days apart, got {given}',
  },
  SPONSOR_BALANCE_LOW: {
    status: 503,
    message: 'Sponsorship is paused: the balance of the fee payer is too low',
  },
  SPONSOR_BUDGET_USED: { status: 503, message: 'Sponsorship is paused: the budget of the day is used up' },
  FIELD_REQUIRED: { status: 400, message: '{parameter} is required' },
  INVITE_CODE_INVALID: { status: 403, message: 'The invite code is unknown, expired, revoked or used up' },
  WALLET_SPONSORED: { status: 409, message: 'Wallet {wallet} has already received a sponsored registration' },
  REGISTRATION_OPEN: {
    status: 409,
    message:
      'A sponsored registration of wallet {wallet} is under way: submit it, or try again when it has expired',
  },
  AGENT_EXISTS: { status: 409, message: 'Wallet {wallet} already has an agent' },
  SPONSOR_CLIENT_LIMIT: {
    status: 429,
    message: 'At most {max} sponsored registrations a day from one address. Try again in {seconds} s',
  },
  SPONSOR_WALLET_LIMIT: {
    status: 429,
    message: 'At most {max} sponsored transactions a day for one wallet. Try again in {seconds} s',
  },
  REGISTRATION_NEEDS_CODE: {
    status: 403,
    message: 'Registrations are sponsored for an invite code only: use POST /sponsor/register',
  },
  NOT_SPONSORED: { status: 403, message: '{place} is not sponsored: {problem}' },
  FEE_PAYER_MISUSED: { status: 403, message: 'The fee payer {key} must not appear in {place}' },
  FEE_PAYER_EXPECTED: {
    status: 400,
    message: '{place} must be the fee payer {key}, as the signer who pays',
  },
  SPONSOR_COST_EXCEEDED: {
    status: 403,
    message: 'The transaction takes more than is sponsored: {amount} {unit}, at most {max}',
  },
  ONE_WALLET_SIGNS: {
    status: 400,
    message:
      'signerPubkeys must name one wallet, the fee payer aside: sponsored transactions have one signer',
  },
  FEE_PAYER_SIGNED: {
    status: 400,
    message: 'The service signs as the fee payer {key}: leave the 64 bytes of its signature zero',
  },
  REGISTRATION_MISMATCH: {
    status: 403,
    message: 'signerPubkey and inviteCode must be those of the registration',
  },
  NOT_A_REGISTRATION: {
    status: 400,
    message: 'The transaction is not a sponsored registration: submit it to POST /relay/submit',
  },
  SPONSORED_REGISTRATION: {
    status: 400,
    message: 'The transaction is a sponsored registration: submit it to POST /sponsor/register/submit',
  },
  TRANSACTION_NOT_FOUND: { status: 404, message: 'Transaction not found' },
  TRANSACTION_EXPIRED: { status: 410, message: 'Transaction expired' },
  SUBMISSION_FIELDS_REQUIRED: { status: 400, message: 'id and signedTx are required' },
  INVALID_SIGNED_TRANSACTION: { status: 400, message: 'Invalid signed transaction' },
  TRANSACTION_MISMATCH: {
    status: 400,
    message: 'Signed transaction does not match the prepared transaction',
  },
  INVALID_SIGNATURE: { status: 400, message: 'Missing or invalid signature for {key}' },
  AUTH_HEADERS_MISSING: {
    status: 401,
    message: 'Missing auth headers. Required: X-Wallet-Pubkey, X-Wallet-Signature, X-Wallet-Timestamp',
  },
  INVALID_TIMESTAMP: { status: 401, message: 'Invalid timestamp' },
  SIGNATURE_EXPIRED: {
    status: 401,
    message: 'Signature expired. Timestamp must be within 60 seconds.',
  },
  INVALID_WALLET: { status: 401, message: 'Invalid wallet pubkey' },
  INVALID_SIGNATURE_ENCODING: { status: 401, message: 'Invalid signature encoding' },
  INVALID_WALLET_SIGNATURE: { status: 401, message: 'Invalid signature' },
  SIGNATURE_USED: {
    status: 401,
    message: 'Signature already used. Sign a new message with a fresh timestamp.',
  },
  MCP_SESSION_NOT_FOUND: { status: 404, message: 'No such MCP session: open one at /mcp/sse' },
  MCP_SESSIONS_FULL: {
    status: 429,
    message: 'Too many MCP streams are open; a client may have {max}. /mcp needs none',
  },
  EVENT_UNKNOWN: { status: 400, message: '{parameter} must be the id of an event, got {value}' },
  TOO_MANY_STREAMS: {
    status: 429,
    message: 'Too many live streams are open: a client may have {max}. Close one, or try again later',
  },
  TOO_MANY_SOCKETS: { status: 503, message: 'Too many WebSockets are open: try again later' },
  ORIGIN_NOT_ALLOWED: { status: 403, message: 'Pages of {value} may not open a WebSocket here' },
  WEBHOOK_NOT_FOUND: { status: 404, message: 'Webhook not found' },
  URL_REQUIRED: { status: 400, message: 'url is required' },
  RECEIVER_REFUSED: { status: 400, message: '{parameter} {problem}, got {value}' },
  EVENT_TYPES_REQUIRED: { status: 400, message: 'eventTypes array is required' },
  EVENT_TYPES_EMPTY: { status: 400, message: 'eventTypes must name at least one event type' },
  EVENT_TYPE_REPEATED: {
    status: 400,
    message: 'eventTypes must name each event type once, got {type} twice',
  },
  TOO_MANY_WEBHOOKS: { status: 409, message: 'A wallet can have at most {max} webhooks' },
  RATE_LIMITED: {
    status: 429,
    message: 'Too many requests: at most {limit} a minute. Try again in {seconds} s',
  },
  VERIFIER_BUSY: {
    status: 503,
    message: 'Too many credentials are being verified now: try again in a moment',
  },
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

/** What a client is told beside the text. */
export interface ErrorAddition {
  readonly message?: string
  /** Log lines of a simulated transaction. */
  readonly logs?: readonly string[]
}

export interface DomainErrorOptions extends ErrorOptions {
  readonly addition?: ErrorAddition
  /** When the same request may succeed; the Retry-After header of REST. */
  readonly retryAfterSeconds?: number
}

/** An error that a client caused or may be told about. Anything else that is thrown is a defect: 500, no detail. */
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
