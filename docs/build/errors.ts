import { type ErrorCode, ERRORS } from '../../src/domain/errors.ts'
import {
  AVAILABILITY_ERRORS,
  REGISTRY_ERRORS,
  RELAY_ERRORS,
  REQUEST_ERRORS,
  SESSION_ERRORS,
  SPONSORSHIP_ERRORS,
  WALLET_AUTH_ERRORS,
  WEBHOOK_ERRORS,
} from '../../src/domain/error-table.ts'
import { FAILURE_CODES } from '../../src/domain/transaction-status.ts'
import { code, codeBlock, page, table } from './markdown.ts'

const SECTIONS: readonly [title: string, errors: object][] = [
  ['Requests', REQUEST_ERRORS],
  ['Wallet authentication', WALLET_AUTH_ERRORS],
  ['Sessions', SESSION_ERRORS],
  ['Agents, stakes, DIDs and credentials', REGISTRY_ERRORS],
  ['Relay', RELAY_ERRORS],
  ['Sponsorship', SPONSORSHIP_ERRORS],
  ['Webhooks', WEBHOOK_ERRORS],
  ['Limits and availability', AVAILABILITY_ERRORS],
]

const WHEN: Record<ErrorCode, string> = {
  INVALID_INTEGER: 'A number is malformed or out of range.',
  INVALID_ENUM: 'The value is not one of the allowed words.',
  INVALID_BOOLEAN: 'A query parameter is neither `true` nor `false`.',
  INVALID_TEXT: 'A text is empty, too long, or contains characters that are not allowed.',
  INVALID_RANGE: '`min_reputation` is greater than `max_reputation`.',
  INVALID_CURSOR: 'A GraphQL connection gets a cursor of another list or order.',
  INVALID_NODE_ID: 'An argument of `node` or `nodes` does not have the form of an `id`.',
  INVALID_PUBKEY: 'A public key or an account address is malformed.',
  INVALID_BASE64: 'Instruction data or a transaction is not base64.',
  INVALID_TYPE: 'A member of the body has the wrong JSON type.',
  FIELD_REQUIRED: 'A required parameter is missing.',
  UNKNOWN_PARAMETER: 'The query string has a parameter that the endpoint does not have.',
  UNKNOWN_MEMBER:
    'The body has a member that the endpoint does not have. The text names the nearest known one.',
  REPEATED_MEMBER: 'An object in the body has the same key twice. JSON parsers read that differently.',
  REPEATED_PARAMETER: 'A query parameter occurs more than once.',
  INVALID_ENCODING: 'The path or the query string is not percent-encoded UTF-8.',
  INVALID_JSON: 'The body is empty or cannot be parsed.',
  BODY_NOT_OBJECT: 'The body is JSON, but not an object.',
  INVALID_REQUEST: 'The request has another problem, which the text names.',
  QUERY_TOO_LARGE: 'A GraphQL operation asks for too many entries of nested lists.',
  PERSISTED_QUERY_NOT_FOUND: 'The process does not know the hash. Send the query and the hash.',
  PATH_NOT_FOUND: 'No endpoint has this path.',
  METHOD_NOT_ALLOWED: 'The path exists, but not with this method. See the `Allow` header.',
  NOT_ACCEPTABLE: '`Accept` excludes every format of the response.',
  REQUEST_TIMEOUT: 'The headers or the body did not arrive in time.',
  BODY_TOO_LARGE: 'The body exceeds the limit of the endpoint.',
  UNSUPPORTED_MEDIA_TYPE: 'The body is not labelled as JSON.',
  EXPECTATION_FAILED: 'The `Expect` header has another value than `100-continue`.',
  HEADERS_TOO_LARGE: 'The path, and the names and values of the headers, have 16 KiB or more.',
  ORIGIN_NOT_ALLOWED: 'A web page calls `/mcp` or opens a WebSocket, and `CORS_ORIGINS` excludes it.',
  HOST_NOT_ALLOWED:
    '`CORS_ORIGINS` is a list, and `/mcp` is called by another name than those in `BASE_URL` and `HOST`.',
  AUTH_HEADERS_MISSING: 'At least one of the three headers is missing or empty.',
  INVALID_TIMESTAMP: 'The timestamp is not a whole number of seconds.',
  SIGNATURE_EXPIRED: 'The timestamp is more than 60 seconds away from the clock of the service.',
  INVALID_WALLET: 'The public key is not base-58 of 32 bytes.',
  INVALID_SIGNATURE_ENCODING: 'The signature is not base-58 of 64 bytes.',
  INVALID_WALLET_SIGNATURE:
    'The signature does not match the message and the key. `message` has the exact message that must be signed.',
  SIGNATURE_USED:
    'The signature was first used from another client network: another IPv4 address or IPv6 /64.',
  SIGN_IN_ORIGIN: 'Users of this page cannot sign in. The operator can add it to `SIGN_IN_ORIGINS`.',
  INVALID_SIGN_IN_MESSAGE:
    'The signed message is not a sign-in message for this service. The text has the reason.',
  INVALID_SIGN_IN_ENCODING: 'The signature of a sign-in is not base-58 or base64 of 64 bytes.',
  SIGN_IN_EXPIRED: 'The time of the message is over, or more than 60 seconds ahead.',
  INVALID_SIGN_IN_SIGNATURE: 'The signature does not match the message and its wallet.',
  SIGN_IN_NONCE: 'The challenge is older than 5 minutes, or was used.',
  SESSION_MISSING: 'The request needs a session, and has wallet headers.',
  SESSION_INVALID: 'The token of the session is wrong, or the session has ended.',
  AGENT_NOT_FOUND: 'No agent has this account address. Closed agents are not found either.',
  STAKE_NOT_FOUND: 'No stake account has this address.',
  INVALID_DID: 'The DID is not `did:sol:` and a public key.',
  DID_NOT_FOUND: 'The owner of the DID has no agent.',
  DID_RESOURCE_NOT_FOUND: 'The DID URL names a key or a service that the DID Document does not have.',
  DID_METHOD_NOT_SUPPORTED: 'The resolver gets a DID of another method.',
  NOT_AGENT_OWNER: 'The authenticated wallet is not the owner of the agent.',
  CREDENTIAL_SOURCE: 'The body has both members or none of them.',
  CREDENTIAL_NOT_FETCHED: 'The URL could not be read. `message` has the reason.',
  INSTRUCTIONS_REQUIRED: '`instructions` is missing, empty or not an array.',
  SIGNERS_REQUIRED: '`signerPubkeys` is missing, empty or not an array.',
  ACCOUNT_KEYS_REQUIRED: '`accountKeys` is missing or not an array.',
  TOO_MANY_ACCOUNT_KEYS: '`accountKeys` has too many entries.',
  TOO_MANY_INSTRUCTIONS: '`instructions` has too many entries.',
  TRANSACTION_TOO_LARGE: 'The transaction does not fit into one network packet.',
  COMPUTE_BUDGET_GIVEN: '`instructions` contains a compute budget instruction.',
  DURABLE_NONCE: '`instructions` contains AdvanceNonceAccount.',
  REPEATED_SIGNER: '`signerPubkeys` contains a key twice.',
  SIGNER_MISSING: 'An instruction has a signer that `signerPubkeys` does not contain.',
  SIGNER_NOT_NEEDED: '`signerPubkeys` contains a key that no instruction marks as signer.',
  CANNOT_SIGN: '`signerPubkeys` contains a key that has no private key, such as a program.',
  PROGRAM_NOT_ALLOWED: 'An instruction calls a program that is not on the allowlist.',
  SIMULATION_FAILED: 'The ledger would refuse the transaction. See `message` and `logs`.',
  PREPARE_FAILED: 'An internal error while the service built the transaction.',
  LOCALNET_ONLY: 'The gateway runs no localnet. Get SOL and USDC, and publish agent cards, elsewhere.',
  TRANSACTION_NOT_FOUND:
    'No transaction of this service has this id or signature, or `ledgerTransaction` does not read it.',
  TRANSACTION_EXPIRED:
    'The blockhash is too old. If a wallet may have sent the transaction itself, read its status before you prepare it again.',
  SUBMISSION_FIELDS_REQUIRED: '`id` or `signedTx` is missing.',
  INVALID_SIGNED_TRANSACTION: '`signedTx` cannot be decoded. `message` has the reason.',
  TRANSACTION_VERSION_UNSUPPORTED:
    '`signedTx` is not the prepared transaction, but one of version 1 or newer. The relay reads these from the ledger, and sends version 0.',
  TRANSACTION_MISMATCH: 'The signed message differs from the prepared message.',
  INVALID_SIGNATURE: 'A signature is missing, or it does not match the message.',
  SPONSORSHIP_OFF: 'The service has no fee payer, or `SPONSORSHIP_ENABLED` is `false`.',
  SPONSOR_BALANCE_LOW: 'The fee payer has less than `SPONSOR_MIN_BALANCE_LAMPORTS`.',
  SPONSOR_BUDGET_USED: 'The last 24 hours used up `SPONSOR_DAILY_BUDGET_LAMPORTS`.',
  SPONSOR_BALANCE_LOW_BEFORE_SIGNING: 'Other transactions used the balance after this one was prepared.',
  SPONSOR_BUDGET_USED_BEFORE_SIGNING: 'Other transactions used the budget after this one was prepared.',
  INVITE_CODE_INVALID: 'The code cannot be used. The text is the same for all four reasons.',
  INVITE_CODE_USED_UP:
    'Other registrations used the code after this one was prepared. Ask the operator for another code.',
  WALLET_SPONSORED: 'A wallet can receive one sponsored registration.',
  REGISTRATION_OPEN: 'A sponsored registration of this wallet is submitted and has not landed yet.',
  AGENT_EXISTS: 'A wallet can have one agent.',
  SPONSOR_CLIENT_LIMIT:
    'Registrations that the client network signed in the last 24 hours, and those that it prepared and can still sign, reach `SPONSOR_DAILY_PER_CLIENT`. When a registration is submitted, only signed ones count.',
  SPONSOR_WALLET_LIMIT: 'The wallet used its sponsored transactions of the last 24 hours.',
  SPONSOR_CLIENT_TRANSACTION_LIMIT:
    'The client network used its sponsored transactions of the last 24 hours.',
  AGENT_NOT_SPONSORED: 'The agent pays its own fees: it was not sponsored and has the tier observer.',
  REGISTRATION_NEEDS_CODE: '`POST /relay/prepare/sponsored` gets a registration.',
  NOT_SPONSORED: 'The instruction or one of its accounts does not qualify for sponsorship.',
  FEE_PAYER_MISUSED: 'The key of the fee payer occurs where it must not.',
  FEE_PAYER_EXPECTED: 'The account `payer` of the registration is not the fee payer.',
  SPONSOR_COST_EXCEEDED: 'The simulation costs more lamports or compute units than the service pays.',
  ONE_WALLET_SIGNS: '`signerPubkeys` contains more than one wallet.',
  FEE_PAYER_SIGNED: 'The first signature of `signedTx` is not empty.',
  REGISTRATION_MISMATCH: 'The submit has another wallet or another code than the preparation.',
  NOT_A_REGISTRATION: 'The id belongs to another kind of transaction.',
  SPONSORED_REGISTRATION: 'The id belongs to a sponsored registration.',
  WEBHOOK_NOT_FOUND: 'The wallet has no webhook with this id.',
  DELIVERY_NOT_FOUND: 'The webhook has no delivery with this id.',
  WEBHOOK_INACTIVE: 'A ping, resend or recovery needs an active webhook.',
  EVENT_WITHDRAWN: 'A resend asks for an event that is not on the ledger any more.',
  RECOVERY_TOO_LONG: 'The time range of a recovery is too long.',
  URL_REQUIRED: '`url` is missing.',
  RECEIVER_REFUSED: 'The receiver URL is not allowed. The text has the reason.',
  EVENT_TYPES_REQUIRED: '`eventTypes` is missing or not an array.',
  EVENT_TYPES_EMPTY: '`eventTypes` is an empty array.',
  EVENT_TYPE_REPEATED: '`eventTypes` contains a type twice.',
  TOO_MANY_WEBHOOKS: 'The wallet has the maximum number of webhooks.',
  WEBHOOK_CLIENT_LIMIT: 'The client network created its webhooks of the last 24 hours. See `Retry-After`.',
  RATE_LIMITED: 'The client sent too many requests. See `Retry-After`.',
  REQUEST_TOO_EXPENSIVE:
    'A GraphQL operation costs more units than the client has per minute. See [limits](limits.md).',
  MCP_SESSION_NOT_FOUND:
    'A message names a session that is closed or belongs to another process, or does not have the `Authorization` of the request that opened it.',
  MCP_SESSIONS_FULL: 'The client network has the maximum number of MCP streams. See `Retry-After`.',
  TOO_MANY_SESSIONS: 'The process has the maximum number of MCP streams. See `Retry-After`.',
  EVENT_UNKNOWN: 'A live stream gets an `after` that is not the id of an event.',
  TOO_MANY_STREAMS: 'The client network has the maximum number of live streams. See `Retry-After`.',
  STREAMS_FULL:
    'The process has the maximum number of live streams. An open stream also ends with this error, and can be opened again, if its client network has the most and another client needs a place.',
  CLIENT_SOCKETS_FULL: 'The client network has the maximum number of WebSockets. See `Retry-After`.',
  TOO_MANY_SOCKETS: 'The process has the maximum number of WebSockets. See `Retry-After`.',
  CARD_CHECKS_BUSY: 'Clients check too many cards before their registrations, in total or for one site.',
  VERIFIER_BUSY: 'The queue of credentials to verify is full.',
  OVERLOADED: 'The process refuses the request because of overload. See `Retry-After`.',
  WORDS_NOT_READY:
    'The registry was not read into memory yet, or has too many names for it. Search by `name`, or try again after `Retry-After`.',
  REGISTRY_NOT_READY:
    'A read arrives before the first copy of the registry is complete. See `Retry-After`, and `GET /ready` for the reason.',
  OPERATOR_FORBIDDEN:
    'A field of the operator was called without `Authorization: Bearer` and the token of `OPERATOR_TOKEN`, or the service has none.',
  INVITE_CODE_NOT_FOUND: 'An operator revokes a code that is not in the list.',
  ISSUER_NOT_FOUND: 'An operator changes an issuer that is not in the list.',
  DEAD_LETTER_NOT_FOUND:
    'An operator retries a dead letter that the indexer has read in the meantime, or one with `canRetry` false.',
  METRICS_FORBIDDEN: '`GET /metrics` comes from another machine, without the token of `METRICS_TOKEN`.',
  NOT_READY: '`GET /ready` reports what is missing. A stake transaction needs an initialised registry.',
  DATABASE_UNAVAILABLE: 'PostgreSQL does not respond.',
  INTERNAL_SERVER_ERROR: 'A defect of the service. The log has the details.',
  LEDGER_UNAVAILABLE:
    'No ledger node responds within 10 s, or the node is behind. Prepared and sponsored transactions, fees and balances need one. See `Retry-After`.',
}

const FAILURES: Record<(typeof FAILURE_CODES)[number], string> = {
  blockhash_expired:
    'The blockhash expired, and the transaction is not on the ledger, whoever sent it. Prepare it again.',
  simulation_failed: 'The ledger refused the transaction before it was sent. It cost nothing.',
  execution_failed: 'The transaction is on the ledger, and it failed. The network fee is spent.',
  dropped: 'A fork removed the transaction, and its blockhash expired. Prepare it again.',
  outcome_unknown:
    'The blockhash expired, and the search on the ledger reached its limits, or another prepared transaction landed that differs only by a lower fee. Check the ledger before you prepare the transaction again.',
}

const entries = Object.entries(ERRORS) as [ErrorCode, { status: number; message: string }][]

export function errorsPage(): string {
  return page(
    '# Errors',
    'Every error body is a JSON object:',
    codeBlock(
      'json',
      JSON.stringify(
        {
          error: 'limit must be an integer from 1 to 200, got "0"',
          details: { code: 'INVALID_INTEGER', parameter: 'limit' },
        },
        null,
        2,
      ),
    ),
    table(
      ['Member', 'Meaning'],
      [
        ['`error`', 'What went wrong. Always present.'],
        ['`message`', 'More about the reason. Present for some errors.'],
        ['`details.code`', 'One of the codes below. Always present.'],
        ['`details.parameter`', 'The parameter with the problem. Present if one parameter caused the error.'],
        ['`logs`', 'The program logs of a failed simulation. Present if the status is 422.'],
      ],
    ),
    'In a GraphQL response, each entry of `errors` has the text in `message`, the code in `extensions.code` and the status in `extensions.status`. The schema has all codes in `enum ErrorCode`, and those of a field in its directive `@errors` ([GraphQL](../guides/graphql.md#errors)).',
    'A response with status 503 has a `Retry-After` header, in seconds. So has status 429, except for the limits of open streams and sessions. A response with status 401 has `WWW-Authenticate: WalletSignature, Bearer`. The response header `x-request-id` identifies the request in the logs of the service.',
    'Do not compare the texts. Use the code. Codes are never renamed or reused.',
    ...SECTIONS.flatMap(([title, errors]) => [
      `## ${title}`,
      table(
        ['Code', 'Status', 'Text', 'When'],
        entries
          .filter(([name]) => name in errors)
          .map(([name, { status, message }]) => [code(name), String(status), message, WHEN[name]]),
      ),
    ]),
    '## Failed transactions',
    'A transaction record with status `failed` has an `error` object with `code`, `message`, and in some cases `logs`. In GraphQL the codes are names in upper case.',
    table(
      ['Code', 'Meaning'],
      FAILURE_CODES.map((name) => [code(name), FAILURES[name]]),
    ),
  )
}
