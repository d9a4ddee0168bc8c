/** HTTP status and text of an error. `{name}` in the text is replaced from the error's context. */
export interface ErrorEntry {
  readonly status: number
  readonly message: string
}

/** Requests that are invalid for any operation. */
export const REQUEST_ERRORS = {
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
    message: '{parameter} must be a cursor of this list and order, got {value}',
  },
  INVALID_PUBKEY: {
    status: 400,
    message: '{parameter} must be a base-58 public key of 32 bytes, got {value}',
  },
  INVALID_BASE64: { status: 400, message: '{parameter} must be base64 with padding, got {value}' },
  INVALID_TYPE: { status: 400, message: '{parameter} must be {expected}, got {value}' },
  FIELD_REQUIRED: { status: 400, message: '{parameter} is required' },
  UNKNOWN_PARAMETER: { status: 400, message: 'Unknown parameter {given}. Known parameters: {known}' },
  UNKNOWN_MEMBER: { status: 400, message: 'Unknown member {given}.{suggestion} Known members: {known}' },
  REPEATED_MEMBER: { status: 400, message: 'The body has the member {given} twice in one object' },
  REPEATED_PARAMETER: { status: 400, message: '{parameter} must occur once, got {count} values' },
  INVALID_ENCODING: {
    status: 400,
    message: '{given} must be percent-encoded UTF-8, got {value}',
  },
  INVALID_JSON: { status: 400, message: 'The body must be valid JSON: {problem}' },
  BODY_NOT_OBJECT: { status: 400, message: 'The body must be a JSON object' },
  INVALID_REQUEST: { status: 400, message: '{problem}' },
  INVALID_NODE_ID: { status: 400, message: '{parameter} must be the id of a node, got {value}' },
  QUERY_TOO_LARGE: {
    status: 400,
    message: 'The query selects more than {max} values in nested lists: use lower limits or fewer fields',
  },
  // Clients of automatic persisted queries expect this text.
  PERSISTED_QUERY_NOT_FOUND: { status: 404, message: 'PersistedQueryNotFound' },
  PATH_NOT_FOUND: { status: 404, message: 'Not found: {path}' },
  METHOD_NOT_ALLOWED: { status: 405, message: '{method} is not allowed here. Allowed methods: {allowed}' },
  NOT_ACCEPTABLE: { status: 406, message: 'Accept must allow {type}, got {value}' },
  REQUEST_TIMEOUT: { status: 408, message: 'The request took too long to arrive' },
  BODY_TOO_LARGE: { status: 413, message: 'The body must not be larger than {max} bytes' },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    message: 'Content-Type must be application/json, got {value}',
  },
  EXPECTATION_FAILED: { status: 417, message: 'Expect must be 100-continue, got {value}' },
  HEADERS_TOO_LARGE: { status: 431, message: 'The request headers are too large' },
  ORIGIN_NOT_ALLOWED: { status: 403, message: 'The origin {value} is not allowed to call this service' },
  HOST_NOT_ALLOWED: {
    status: 403,
    message: 'The host name {value} is not a name of this service (see BASE_URL)',
  },
} as const satisfies Record<string, ErrorEntry>

/** Agents, stakes, DIDs and credentials. */
export const REGISTRY_ERRORS = {
  AGENT_NOT_FOUND: { status: 404, message: 'Agent not found' },
  STAKE_NOT_FOUND: { status: 404, message: 'Stake account not found' },
  INVALID_DID: {
    status: 400,
    message: '{parameter} must be did:sol: and a base-58 public key of 32 bytes, got {value}',
  },
  DID_NOT_FOUND: { status: 404, message: 'DID not found' },
  DID_RESOURCE_NOT_FOUND: { status: 404, message: 'The DID Document has no {given}' },
  DID_METHOD_NOT_SUPPORTED: {
    status: 501,
    message: 'Only the DID method did:sol is supported, got {value}',
  },
  NOT_AGENT_OWNER: { status: 403, message: 'Wallet does not own this agent' },
  CREDENTIAL_SOURCE: { status: 400, message: 'Provide exactly one of credentialUrl or credential' },
  CREDENTIAL_NOT_FETCHED: { status: 422, message: 'Credential could not be fetched' },
} as const satisfies Record<string, ErrorEntry>

/** Errors of preparing and submitting transactions. */
export const RELAY_ERRORS = {
  INSTRUCTIONS_REQUIRED: { status: 400, message: 'instructions array is required' },
  SIGNERS_REQUIRED: { status: 400, message: 'signerPubkeys array is required' },
  ACCOUNT_KEYS_REQUIRED: { status: 400, message: 'accountKeys array is required' },
  TOO_MANY_ACCOUNT_KEYS: { status: 400, message: 'Too many account keys: {count}, at most {max}' },
  TOO_MANY_INSTRUCTIONS: { status: 400, message: 'Too many instructions: {count}, at most {max}' },
  TRANSACTION_TOO_LARGE: { status: 400, message: 'Transaction too large: {size} bytes, at most {max}' },
  COMPUTE_BUDGET_GIVEN: {
    status: 400,
    message: 'The service adds compute budget instructions. Set priorityLevel instead.',
  },
  DURABLE_NONCE: { status: 400, message: 'Durable nonces are not supported: remove AdvanceNonceAccount' },
  REPEATED_SIGNER: { status: 400, message: 'signerPubkeys must not contain a key twice' },
  SIGNER_MISSING: {
    status: 400,
    message: 'signerPubkeys must contain {key}, which an instruction requires as signer',
  },
  SIGNER_NOT_NEEDED: {
    status: 400,
    message: 'signerPubkeys contains {key}, which no instruction requires as signer',
  },
  CANNOT_SIGN: { status: 400, message: 'signerPubkeys contains {key}, which cannot sign' },
  PROGRAM_NOT_ALLOWED: { status: 403, message: 'Program {program} is not allowed by this relay' },
  SIMULATION_FAILED: { status: 422, message: 'Transaction simulation failed' },
  PREPARE_FAILED: { status: 500, message: 'Failed to prepare transaction' },
  LOCALNET_ONLY: { status: 403, message: 'Only a localnet gives SOL and USDC to wallets' },
  TRANSACTION_NOT_FOUND: { status: 404, message: 'Transaction not found' },
  TRANSACTION_EXPIRED: { status: 410, message: 'Transaction expired' },
  SUBMISSION_FIELDS_REQUIRED: { status: 400, message: 'id and signedTx are required' },
  INVALID_SIGNED_TRANSACTION: { status: 400, message: 'Invalid signed transaction' },
  TRANSACTION_VERSION_UNSUPPORTED: {
    status: 400,
    message:
      'Transaction version {version} is not supported. Sign the prepared transaction, which has version 0',
  },
  TRANSACTION_MISMATCH: {
    status: 400,
    message: 'Signed transaction does not match the prepared transaction',
  },
  INVALID_SIGNATURE: { status: 400, message: 'Missing or invalid signature for {key}' },
} as const satisfies Record<string, ErrorEntry>

/** Errors of transactions that the service pays for. */
export const SPONSORSHIP_ERRORS = {
  SPONSORSHIP_OFF: { status: 503, message: 'Sponsorship is off' },
  SPONSOR_BALANCE_LOW: {
    status: 503,
    message: 'Sponsorship is paused: the balance of the fee payer is too low',
  },
  SPONSOR_BUDGET_USED: { status: 503, message: 'Sponsorship is paused: the daily budget is used up' },
  SPONSOR_BALANCE_LOW_BEFORE_SIGNING: {
    status: 503,
    message:
      'The balance of the fee payer became too low before this transaction was signed. Nothing was sent. Prepare it again later.',
  },
  SPONSOR_BUDGET_USED_BEFORE_SIGNING: {
    status: 503,
    message:
      'The daily budget was used up before this transaction was signed. Nothing was sent. Prepare it again later.',
  },
  INVITE_CODE_INVALID: { status: 403, message: 'The invite code is unknown, expired, revoked or used up' },
  INVITE_CODE_USED_UP: {
    status: 403,
    message: 'The invite code was used up before this registration was signed. Nothing was sent.',
  },
  WALLET_SPONSORED: { status: 409, message: 'Wallet {wallet} has already received a sponsored registration' },
  REGISTRATION_OPEN: {
    status: 409,
    message:
      'Wallet {wallet} already has a pending sponsored registration. Read its status, or try again after it expires.',
  },
  AGENT_EXISTS: { status: 409, message: 'Wallet {wallet} already has an agent' },
  SPONSOR_CLIENT_LIMIT: {
    status: 429,
    message:
      'At most {max} sponsored registrations per IP address and day: {counted}. Try again in {seconds} s.',
  },
  SPONSOR_WALLET_LIMIT: {
    status: 429,
    message: 'At most {max} sponsored transactions per wallet and day. Try again in {seconds} s.',
  },
  SPONSOR_CLIENT_TRANSACTION_LIMIT: {
    status: 429,
    message: 'At most {max} sponsored transactions per IP address and day. Try again in {seconds} s.',
  },
  AGENT_NOT_SPONSORED: {
    status: 403,
    message:
      'Wallet {wallet} gets no sponsored transactions: the service must have sponsored the registration of its agent, or the agent must have the tier basic or higher',
  },
  REGISTRATION_NEEDS_CODE: {
    status: 403,
    message: 'A sponsored registration requires an invite code: use POST /sponsor/register',
  },
  NOT_SPONSORED: { status: 403, message: '{place} cannot be sponsored: {problem}' },
  FEE_PAYER_MISUSED: { status: 403, message: 'The fee payer {key} must not appear in {place}' },
  FEE_PAYER_EXPECTED: { status: 400, message: '{place} must be the fee payer {key}' },
  SPONSOR_COST_EXCEEDED: {
    status: 403,
    message: 'The transaction exceeds the sponsorship limit: {amount} {unit}, at most {max}',
  },
  ONE_WALLET_SIGNS: {
    status: 400,
    message: 'signerPubkeys must contain one wallet: a sponsored transaction has no other signer',
  },
  FEE_PAYER_SIGNED: {
    status: 400,
    message: 'The service signs as the fee payer {key}. Leave the 64 bytes of its signature zero.',
  },
  REGISTRATION_MISMATCH: {
    status: 403,
    message: 'signerPubkey and inviteCode must match the prepared registration',
  },
  NOT_A_REGISTRATION: {
    status: 400,
    message: 'The transaction is not a sponsored registration: submit it to POST /relay/submit',
  },
  SPONSORED_REGISTRATION: {
    status: 400,
    message: 'The transaction is a sponsored registration: submit it to POST /sponsor/register/submit',
  },
} as const satisfies Record<string, ErrorEntry>

/** Wallet authentication, in the order of the checks. */
export const WALLET_AUTH_ERRORS = {
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
} as const satisfies Record<string, ErrorEntry>

/** Sign-in and sessions, in the order of the checks. */
export const SESSION_ERRORS = {
  SIGN_IN_ORIGIN: {
    status: 400,
    message: '{parameter} must be one of {allowed}, got {value}',
  },
  INVALID_SIGN_IN_MESSAGE: { status: 400, message: 'Invalid sign-in message: {problem}' },
  INVALID_SIGN_IN_ENCODING: {
    status: 400,
    message: 'signature must be 64 bytes in base-58 or base64, got {value}',
  },
  SIGN_IN_EXPIRED: {
    status: 401,
    message: 'The sign-in message has expired or is not valid yet. Request a new challenge.',
  },
  INVALID_SIGN_IN_SIGNATURE: {
    status: 401,
    message: 'Invalid signature: the wallet that the message names must sign exactly this message',
  },
  SIGN_IN_NONCE: {
    status: 401,
    message: 'The nonce is unknown, expired or already used. Request a new challenge.',
  },
  SESSION_MISSING: { status: 401, message: 'Missing session. Required: Authorization: Bearer <token>' },
  SESSION_INVALID: { status: 401, message: 'The session is unknown, expired or ended. Sign in again.' },
} as const satisfies Record<string, ErrorEntry>

/** Subscriptions and their deliveries. */
export const WEBHOOK_ERRORS = {
  WEBHOOK_NOT_FOUND: { status: 404, message: 'Webhook not found' },
  DELIVERY_NOT_FOUND: { status: 404, message: 'Delivery not found' },
  WEBHOOK_INACTIVE: { status: 409, message: 'Webhook is not active: set active to true first' },
  EVENT_WITHDRAWN: {
    status: 409,
    message: 'A fork of the ledger removed this event, so it cannot be sent again',
  },
  RECOVERY_TOO_LONG: {
    status: 400,
    message: 'since and until must be at most {max} days apart, got {given}',
  },
  URL_REQUIRED: { status: 400, message: 'url is required' },
  RECEIVER_REFUSED: { status: 400, message: '{parameter} {problem}, got {value}' },
  EVENT_TYPES_REQUIRED: { status: 400, message: 'eventTypes array is required' },
  EVENT_TYPES_EMPTY: { status: 400, message: 'eventTypes must contain at least one event type' },
  EVENT_TYPE_REPEATED: {
    status: 400,
    message: 'eventTypes must not contain duplicates, got {type} twice',
  },
  TOO_MANY_WEBHOOKS: { status: 409, message: 'A wallet can have at most {max} webhooks' },
  WEBHOOK_CLIENT_LIMIT: {
    status: 429,
    message: 'At most {max} new webhooks per IP address and day. Try again in {seconds} s.',
  },
} as const satisfies Record<string, ErrorEntry>

/** Limits per client, stream and session, and parts that do not answer. */
export const AVAILABILITY_ERRORS = {
  RATE_LIMITED: {
    status: 429,
    message: 'Too many requests: the limit is {limit} per minute. Try again in {seconds} s',
  },
  REQUEST_TOO_EXPENSIVE: {
    status: 400,
    message: 'The operation costs {units} units, more than the limit of {max} per minute',
  },
  MCP_SESSION_NOT_FOUND: {
    status: 404,
    message: 'MCP session not found: open one at /mcp/sse, and send messages with the same Authorization',
  },
  MCP_SESSIONS_FULL: {
    status: 429,
    message: 'Too many open MCP streams: the limit per client is {max}. /mcp works without a stream',
  },
  TOO_MANY_SESSIONS: {
    status: 503,
    message: 'The service has too many open MCP streams. /mcp works without a stream',
  },
  EVENT_UNKNOWN: { status: 400, message: '{parameter} must be the id of an event, got {value}' },
  TOO_MANY_STREAMS: {
    status: 429,
    message: 'Too many open live streams: the limit per client is {max}. Close one or try again later',
  },
  STREAMS_FULL: { status: 503, message: 'The service has too many open live streams: try again later' },
  CLIENT_SOCKETS_FULL: {
    status: 429,
    message: 'Too many open WebSockets: the limit per client is {max}. Close one or try again later',
  },
  TOO_MANY_SOCKETS: { status: 503, message: 'The service has too many open WebSockets: try again later' },
  VERIFIER_BUSY: {
    status: 503,
    message: 'Too many credentials are being verified: try again later',
  },
  OVERLOADED: { status: 503, message: 'The service is overloaded. Try again in {seconds} s' },
  REGISTRY_NOT_READY: {
    status: 503,
    message: 'The registry has not been read from the ledger yet. Try again later',
  },
  METRICS_FORBIDDEN: {
    status: 403,
    message: 'Only the machine of the service, or a request with METRICS_TOKEN, can read the metrics',
  },
  NOT_READY: { status: 503, message: 'Not ready: {missing}' },
  DATABASE_UNAVAILABLE: { status: 503, message: 'The database is not available' },
  INTERNAL_SERVER_ERROR: { status: 500, message: 'Internal server error' },
  LEDGER_UNAVAILABLE: { status: 503, message: 'The ledger RPC node is not available' },
} as const satisfies Record<string, ErrorEntry>
