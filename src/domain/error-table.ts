/** HTTP status and text of an error. `{name}` in the text is replaced from the error's context. */
export type ErrorEntry = readonly [status: number, message: string]

/** Requests that are invalid for any operation. */
export const REQUEST_ERRORS = {
  INVALID_INTEGER: [400, '{parameter} must be an integer from {min} to {max}, got {value}'],
  INVALID_ENUM: [400, '{parameter} must be one of {allowed}, got {value}'],
  INVALID_BOOLEAN: [400, '{parameter} must be true or false, got {value}'],
  INVALID_TEXT: [400, '{parameter} {problem}, got {value}'],
  INVALID_RANGE: [400, '{low} must not be greater than {high}, got {lowValue} and {highValue}'],
  INVALID_CURSOR: [400, '{parameter} must be a cursor of this list and order, got {value}'],
  INVALID_PUBKEY: [400, '{parameter} must be a base-58 public key of 32 bytes, got {value}'],
  INVALID_BASE64: [400, '{parameter} must be base64 with padding, got {value}'],
  INVALID_TYPE: [400, '{parameter} must be {expected}, got {value}'],
  FIELD_REQUIRED: [400, '{parameter} is required'],
  UNKNOWN_PARAMETER: [400, 'Unknown parameter {given}. Known parameters: {known}'],
  UNKNOWN_MEMBER: [400, 'Unknown member {given}.{suggestion} Known members: {known}'],
  REPEATED_MEMBER: [400, 'The body has the member {given} twice in one object'],
  REPEATED_PARAMETER: [400, '{parameter} must occur once, got {count} values'],
  INVALID_ENCODING: [400, '{given} must be percent-encoded UTF-8, got {value}'],
  INVALID_JSON: [400, 'The body must be valid JSON: {problem}'],
  BODY_NOT_OBJECT: [400, 'The body must be a JSON object'],
  INVALID_REQUEST: [400, '{problem}'],
  INVALID_NODE_ID: [400, '{parameter} must be the id of a node, got {value}'],
  QUERY_TOO_LARGE: [
    400,
    'The query selects more than {max} values in nested lists: use lower limits or fewer fields',
  ],
  // Clients of automatic persisted queries expect this text.
  PERSISTED_QUERY_NOT_FOUND: [404, 'PersistedQueryNotFound'],
  PATH_NOT_FOUND: [404, 'Not found: {path}'],
  METHOD_NOT_ALLOWED: [405, '{method} is not allowed here. Allowed methods: {allowed}'],
  NOT_ACCEPTABLE: [406, 'Accept must allow {type}, got {value}'],
  REQUEST_TIMEOUT: [408, 'The request took too long to arrive'],
  BODY_TOO_LARGE: [413, 'The body must not be larger than {max} bytes'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'Content-Type must be application/json, got {value}'],
  EXPECTATION_FAILED: [417, 'Expect must be 100-continue, got {value}'],
  HEADERS_TOO_LARGE: [431, 'The request headers are too large'],
  ORIGIN_NOT_ALLOWED: [403, 'The origin {value} is not allowed to call this service'],
  HOST_NOT_ALLOWED: [403, 'The host name {value} is not a name of this service (see BASE_URL)'],
} as const satisfies Record<string, ErrorEntry>

/** Agents, stakes, DIDs and credentials. */
export const REGISTRY_ERRORS = {
  AGENT_NOT_FOUND: [404, 'Agent not found'],
  STAKE_NOT_FOUND: [404, 'Stake account not found'],
  INVALID_DID: [400, '{parameter} must be did:sol: and a base-58 public key of 32 bytes, got {value}'],
  DID_NOT_FOUND: [404, 'DID not found'],
  DID_RESOURCE_NOT_FOUND: [404, 'The DID Document has no {given}'],
  DID_METHOD_NOT_SUPPORTED: [501, 'Only the DID method did:sol is supported, got {value}'],
  NOT_AGENT_OWNER: [403, 'Wallet does not own this agent'],
  CREDENTIAL_SOURCE: [400, 'Provide exactly one of credentialUrl or credential'],
  CREDENTIAL_NOT_FETCHED: [422, 'Credential could not be fetched'],
} as const satisfies Record<string, ErrorEntry>

/** Errors of preparing and submitting transactions. */
export const RELAY_ERRORS = {
  INSTRUCTIONS_REQUIRED: [400, 'instructions array is required'],
  SIGNERS_REQUIRED: [400, 'signerPubkeys array is required'],
  ACCOUNT_KEYS_REQUIRED: [400, 'accountKeys array is required'],
  TOO_MANY_ACCOUNT_KEYS: [400, 'Too many account keys: {count}, at most {max}'],
  TOO_MANY_INSTRUCTIONS: [400, 'Too many instructions: {count}, at most {max}'],
  TRANSACTION_TOO_LARGE: [400, 'Transaction too large: {size} bytes, at most {max}'],
  COMPUTE_BUDGET_GIVEN: [400, 'The service adds compute budget instructions. Set priorityLevel instead.'],
  DURABLE_NONCE: [400, 'Durable nonces are not supported: remove AdvanceNonceAccount'],
  REPEATED_SIGNER: [400, 'signerPubkeys must not contain a key twice'],
  SIGNER_MISSING: [400, 'signerPubkeys must contain {key}, which an instruction requires as signer'],
  SIGNER_NOT_NEEDED: [400, 'signerPubkeys contains {key}, which no instruction requires as signer'],
  CANNOT_SIGN: [400, 'signerPubkeys contains {key}, which cannot sign'],
  PROGRAM_NOT_ALLOWED: [403, 'Program {program} is not allowed by this relay'],
  SIMULATION_FAILED: [422, 'Transaction simulation failed'],
  PREPARE_FAILED: [500, 'Failed to prepare transaction'],
  LOCALNET_ONLY: [403, 'Only a localnet gives SOL and USDC to wallets, and publishes agent cards'],
  TRANSACTION_NOT_FOUND: [404, 'Transaction not found'],
  TRANSACTION_EXPIRED: [410, 'Transaction expired'],
  SUBMISSION_FIELDS_REQUIRED: [400, 'id and signedTx are required'],
  INVALID_SIGNED_TRANSACTION: [400, 'Invalid signed transaction'],
  TRANSACTION_VERSION_UNSUPPORTED: [
    400,
    'Transaction version {version} is not supported. Sign the prepared transaction, which has version 0',
  ],
  TRANSACTION_MISMATCH: [400, 'Signed transaction does not match the prepared transaction'],
  INVALID_SIGNATURE: [400, 'Missing or invalid signature for {key}'],
} as const satisfies Record<string, ErrorEntry>

/** Errors of transactions that the service pays for. */
export const SPONSORSHIP_ERRORS = {
  SPONSORSHIP_OFF: [503, 'Sponsorship is off'],
  SPONSOR_BALANCE_LOW: [503, 'Sponsorship is paused: the balance of the fee payer is too low'],
  SPONSOR_BUDGET_USED: [503, 'Sponsorship is paused: the daily budget is used up'],
  SPONSOR_BALANCE_LOW_BEFORE_SIGNING: [
    503,
    'The balance of the fee payer became too low before this transaction was signed. Nothing was sent. Prepare it again later.',
  ],
  SPONSOR_BUDGET_USED_BEFORE_SIGNING: [
    503,
    'The daily budget was used up before this transaction was signed. Nothing was sent. Prepare it again later.',
  ],
  INVITE_CODE_INVALID: [403, 'The invite code is unknown, expired, revoked or used up'],
  INVITE_CODE_USED_UP: [
    403,
    'The invite code was used up before this registration was signed. Nothing was sent.',
  ],
  WALLET_SPONSORED: [409, 'Wallet {wallet} has already received a sponsored registration'],
  REGISTRATION_OPEN: [
    409,
    'Wallet {wallet} already has a pending sponsored registration. Read its status, or try again after it expires.',
  ],
  AGENT_EXISTS: [409, 'Wallet {wallet} already has an agent'],
  SPONSOR_CLIENT_LIMIT: [
    429,
    'At most {max} sponsored registrations per IP address and day: {counted}. Try again in {seconds} s.',
  ],
  SPONSOR_WALLET_LIMIT: [
    429,
    'At most {max} sponsored transactions per wallet and day. Try again in {seconds} s.',
  ],
  SPONSOR_CLIENT_TRANSACTION_LIMIT: [
    429,
    'At most {max} sponsored transactions per IP address and day. Try again in {seconds} s.',
  ],
  AGENT_NOT_SPONSORED: [
    403,
    'Wallet {wallet} gets no sponsored transactions: the service must have sponsored the registration of its agent, or the agent must have the tier basic or higher',
  ],
  REGISTRATION_NEEDS_CODE: [
    403,
    'A sponsored registration requires an invite code: use POST /sponsor/register',
  ],
  NOT_SPONSORED: [403, '{place} cannot be sponsored: {problem}'],
  FEE_PAYER_MISUSED: [403, 'The fee payer {key} must not appear in {place}'],
  FEE_PAYER_EXPECTED: [400, '{place} must be the fee payer {key}'],
  SPONSOR_COST_EXCEEDED: [
    403,
    'The transaction exceeds the sponsorship limit: {amount} {unit}, at most {max}',
  ],
  ONE_WALLET_SIGNS: [
    400,
    'signerPubkeys must contain one wallet: a sponsored transaction has no other signer',
  ],
  FEE_PAYER_SIGNED: [
    400,
    'The service signs as the fee payer {key}. Leave the 64 bytes of its signature zero.',
  ],
  REGISTRATION_MISMATCH: [403, 'signerPubkey and inviteCode must match the prepared registration'],
  NOT_A_REGISTRATION: [
    400,
    'The transaction is not a sponsored registration: submit it to POST /relay/submit',
  ],
  SPONSORED_REGISTRATION: [
    400,
    'The transaction is a sponsored registration: submit it to POST /sponsor/register/submit',
  ],
} as const satisfies Record<string, ErrorEntry>

/** Wallet authentication, in the order of the checks. */
export const WALLET_AUTH_ERRORS = {
  AUTH_HEADERS_MISSING: [
    401,
    'Missing auth headers. Required: X-Wallet-Pubkey, X-Wallet-Signature, X-Wallet-Timestamp',
  ],
  INVALID_TIMESTAMP: [401, 'Invalid timestamp'],
  SIGNATURE_EXPIRED: [401, 'Signature expired. Timestamp must be within 60 seconds.'],
  INVALID_WALLET: [401, 'Invalid wallet pubkey'],
  INVALID_SIGNATURE_ENCODING: [401, 'Invalid signature encoding'],
  INVALID_WALLET_SIGNATURE: [401, 'Invalid signature'],
  SIGNATURE_USED: [401, 'Signature already used. Sign a new message with a fresh timestamp.'],
} as const satisfies Record<string, ErrorEntry>

/** Sign-in and sessions, in the order of the checks. */
export const SESSION_ERRORS = {
  SIGN_IN_ORIGIN: [400, '{parameter} must be one of {allowed}, got {value}'],
  INVALID_SIGN_IN_MESSAGE: [400, 'Invalid sign-in message: {problem}'],
  INVALID_SIGN_IN_ENCODING: [400, 'signature must be 64 bytes in base-58 or base64, got {value}'],
  SIGN_IN_EXPIRED: [401, 'The sign-in message has expired or is not valid yet. Request a new challenge.'],
  INVALID_SIGN_IN_SIGNATURE: [
    401,
    'Invalid signature: the wallet that the message names must sign exactly this message',
  ],
  SIGN_IN_NONCE: [401, 'The nonce is unknown, expired or already used. Request a new challenge.'],
  SESSION_MISSING: [401, 'Missing session. Required: Authorization: Bearer <token>'],
  SESSION_INVALID: [401, 'The session is unknown, expired or ended. Sign in again.'],
} as const satisfies Record<string, ErrorEntry>

/** Subscriptions and their deliveries. */
export const WEBHOOK_ERRORS = {
  WEBHOOK_NOT_FOUND: [404, 'Webhook not found'],
  DELIVERY_NOT_FOUND: [404, 'Delivery not found'],
  WEBHOOK_INACTIVE: [409, 'Webhook is not active: set active to true first'],
  EVENT_WITHDRAWN: [409, 'A fork of the ledger removed this event, so it cannot be sent again'],
  RECOVERY_TOO_LONG: [400, 'since and until must be at most {max} days apart, got {given}'],
  URL_REQUIRED: [400, 'url is required'],
  RECEIVER_REFUSED: [400, '{parameter} {problem}, got {value}'],
  EVENT_TYPES_REQUIRED: [400, 'eventTypes array is required'],
  EVENT_TYPES_EMPTY: [400, 'eventTypes must contain at least one event type'],
  EVENT_TYPE_REPEATED: [400, 'eventTypes must not contain duplicates, got {type} twice'],
  TOO_MANY_WEBHOOKS: [409, 'A wallet can have at most {max} webhooks'],
  WEBHOOK_CLIENT_LIMIT: [429, 'At most {max} new webhooks per IP address and day. Try again in {seconds} s.'],
} as const satisfies Record<string, ErrorEntry>

/** Limits per client, stream and session, and parts that do not answer. */
export const AVAILABILITY_ERRORS = {
  RATE_LIMITED: [429, 'Too many requests: the limit is {limit} per minute. Try again in {seconds} s'],
  REQUEST_TOO_EXPENSIVE: [400, 'The operation costs {units} units, more than the limit of {max} per minute'],
  MCP_SESSION_NOT_FOUND: [
    404,
    'MCP session not found: open one at /mcp/sse, and send messages with the same Authorization',
  ],
  MCP_SESSIONS_FULL: [
    429,
    'Too many open MCP streams: the limit per client is {max}. /mcp works without a stream',
  ],
  TOO_MANY_SESSIONS: [503, 'The service has too many open MCP streams. /mcp works without a stream'],
  EVENT_UNKNOWN: [400, '{parameter} must be the id of an event, got {value}'],
  TOO_MANY_STREAMS: [
    429,
    'Too many open live streams: the limit per client is {max}. Close one or try again later',
  ],
  STREAMS_FULL: [503, 'The service has too many open live streams: try again later'],
  CLIENT_SOCKETS_FULL: [
    429,
    'Too many open WebSockets: the limit per client is {max}. Close one or try again later',
  ],
  TOO_MANY_SOCKETS: [503, 'The service has too many open WebSockets: try again later'],
  CARD_CHECKS_BUSY: [
    503,
    'Too many agent cards are being checked, in total or for this host: try again in a minute',
  ],
  VERIFIER_BUSY: [503, 'Too many credentials are being verified: try again later'],
  OVERLOADED: [503, 'The service is overloaded. Try again in {seconds} s'],
  WORDS_NOT_READY: [
    503,
    'A search for words needs all names in memory, where they are not yet, or do not fit. Search by name, or try again later',
  ],
  REGISTRY_NOT_READY: [503, 'The registry has not been read from the ledger yet. Try again later'],
  OPERATOR_FORBIDDEN: [403, 'Only an operator can do this: send OPERATOR_TOKEN as a bearer token'],
  INVITE_CODE_NOT_FOUND: [404, 'There is no invite code with the id {id}'],
  ISSUER_NOT_FOUND: [404, '{did} is not a trusted issuer'],
  DEAD_LETTER_NOT_FOUND: [404, 'There is no dead letter with the id {id} for which a retry can help'],
  METRICS_FORBIDDEN: [
    403,
    'Only the machine of the service, or a request with METRICS_TOKEN, can read the metrics',
  ],
  NOT_READY: [503, 'Not ready: {missing}'],
  DATABASE_UNAVAILABLE: [503, 'The database is not available'],
  INTERNAL_SERVER_ERROR: [500, 'Internal server error'],
  LEDGER_UNAVAILABLE: [503, 'The ledger RPC node is not available'],
} as const satisfies Record<string, ErrorEntry>
