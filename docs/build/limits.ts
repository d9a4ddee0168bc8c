import { maxHeaderSize } from 'node:http'
import { MAX_NAME_SEARCH, SEARCH_UNITS } from '../../src/registry/agents/agent-filter.ts'
import { MAX_OFFSET_UNITS, PAGE_LIMIT, SKIPPED_PER_UNIT } from '../../src/domain/page.ts'
import { MAX_CARD_BYTES } from '../../src/identity/agent-cards/check-card.ts'
import {
  CARD_QUEUES,
  CARD_TIMING,
  CHECKS_PER_SITE,
  CREDENTIAL_FETCHES,
  NEW_CARD_CHECKS,
} from '../../src/identity/agent-cards/limits.ts'
import { MAX_PUBLISHED_CARD } from '../../src/identity/agent-cards/publish-card.ts'
import { MAX_CREDENTIALS } from '../../src/identity/credentials/attached/credential-store.ts'
import { MAX_URL_LENGTH as MAX_CREDENTIAL_URL } from '../../src/identity/credentials/attached/credentials.ts'
import { MAX_CONTEXTS, MAX_TYPES } from '../../src/identity/credentials/verify/checks/structure.ts'
import { MAX_ISSUER_LENGTH } from '../../src/identity/credentials/verify/checks/trust.ts'
import { CARD_LIMITS } from '../../src/identity/agent-cards/card-content.ts'
import { MAX_PROOFS } from '../../src/identity/credentials/verify/checks/proof.ts'
import { SITE_BYTES_PER_MINUTE } from '../../src/platform/net/hosted/fetch-hosted.ts'
import {
  MAX_LIST_URL_LENGTH,
  MAX_STATUS_ENTRIES,
} from '../../src/identity/credentials/verify/status/check-status.ts'
import {
  MAX_LIST_AGE_MS,
  MAX_LIST_BYTES,
  MAX_LIST_ENTRIES,
  MIN_LIST_ENTRIES,
} from '../../src/identity/credentials/verify/status/read-list.ts'
import { JSON_LIMITS, MAX_CREDENTIAL_BYTES } from '../../src/identity/credentials/verify/parse-credential.ts'
import {
  CHALLENGE_MS,
  IDLE_MS,
  MAX_PER_WALLET as MAX_SESSIONS,
  SESSION_MS,
} from '../../src/identity/sessions/sessions.ts'
import { MAX_MESSAGE_BYTES as MAX_SIGN_IN_BYTES } from '../../src/identity/sessions/sign-in.ts'
import { TOLERANCE_MS } from '../../src/identity/wallet-auth.ts'
import { STREAM_LIMITS } from '../../src/webhooks/live/streams.ts'
import { SUBMIT_WAIT_MS } from '../../src/platform/config/config.ts'
import { type Setting, SETTINGS } from '../../src/platform/config/settings.ts'
import { MAX_URL_LENGTH } from '../../src/platform/net/check-url.ts'
import { RATE_LIMIT_KINDS } from '../../src/platform/rate-limits/rate-limits.ts'
import { PREPARE_UNITS, RELAY_POLICY } from '../../src/transactions/limits.ts'
import { RETENTION_DAYS as TRANSACTION_DAYS } from '../../src/transactions/transaction-store.ts'
import { SPONSOR_POLICY } from '../../src/transactions/sponsor-policy.ts'
import { ATTEMPTS_SHOWN } from '../../src/webhooks/deliveries.ts'
import { MAX_DAYS, MAX_PINGS, MAX_RECOVERED } from '../../src/webhooks/requests.ts'
import { RETRY_SCHEDULE, WORKER_LIMITS } from '../../src/webhooks/limits.ts'
import { EXCERPT, RETENTION_DAYS } from '../../src/webhooks/maintenance.ts'
import { MAX_EXCERPT, MAX_RETRY_AFTER_MS, MIN_RETRY_AFTER_MS } from '../../src/webhooks/send.ts'
import { BREAKER_FAILURES, FAILING_DAYS } from '../../src/webhooks/settle.ts'
import { MAX_PER_WALLET } from '../../src/webhooks/subscriptions.ts'
import { CARD_WEIGHT } from '../../schema/agent-card.ts'
import { CREDENTIALS_WEIGHT } from '../../schema/credential.ts'
import { EVENTS_PER_CHARGE } from '../../src/webhooks/live/live-events.ts'
import { LIMITS, VALUES_PER_UNIT } from '../../schema/limits.ts'
import { CHARACTERS_PER_UNIT, OBJECT_WEIGHT } from '../../schema/operation-cost.ts'
import { operations } from '../../rest/documents/documents.ts'
import { MAX_DOCUMENTS } from '../../rest/graphql/persisted-documents.ts'
import { BYTES_PER_UNIT } from '../../rest/plugins/rate-limits.ts'
import { MAX_CONTROL_CHARACTERS } from '../../rest/graphql/web-socket.ts'
import { MAX_MESSAGE_BYTES, MESSAGE_UNITS } from '../../rest/graphql/web-socket.ts'
import { MAX_VALUES } from '../../rest/mcp/routes.ts'
import { MAX_SUBSCRIBED } from '../../rest/mcp/routes.ts'
import { CONNECTION_LIMITS, MAX_BODY_PARTS, MAX_IGNORED_BYTES } from '../../rest/plugins/connections.ts'
import { MAX_UNANSWERED } from '../../rest/plugins/open-connections.ts'
import { BODY_LIMIT } from '../../rest/plugins/server-options.ts'
import { code, number, page, table } from './markdown.ts'

type Limit = readonly [limit: string, value: string, exceeded: string]

const seconds = (ms: number): string => `${ms / 1000} s`
const defaultOf = (name: keyof typeof SETTINGS): string => {
  const { default: value = '', localnetDefault = value }: Setting<unknown> = SETTINGS[name]
  const localnet = localnetDefault === value ? '' : `; ${number(Number(localnetDefault))} on the localnet`
  return `${number(Number(value))} (${code(name)})${localnet}`
}

const rateLimits: Limit[] = Object.entries(RATE_LIMIT_KINDS).map(
  ([kind, { perMinute, countedIn, counts }]) => [
    counts,
    `${perMinute} (${code(kind)}) per minute`,
    countedIn === 'memory' ? 'each process' : 'all processes together',
  ],
)

/** Ten probes, one per second. */
const PROBES_MS = 10_000

const requests: Limit[] = [
  [
    'Path of a request, and names and values of its headers',
    `${number(maxHeaderSize - 1)} bytes`,
    '431 HEADERS_TOO_LARGE',
  ],
  ['Body of a request', `${number(BODY_LIMIT)} bytes`, '413 BODY_TOO_LARGE'],
  [
    'Body of a credential verification',
    `${number(operations.get('VerifyCredential')!.rest!.bodyLimit!)} bytes`,
    '413 BODY_TOO_LARGE',
  ],
  ['Packets and chunks of a body', number(MAX_BODY_PARTS), 'The connection is closed'],
  ['Rest of a body of a refused request', `${number(MAX_IGNORED_BYTES)} bytes`, 'The connection is closed'],
  ['Time for the headers', seconds(CONNECTION_LIMITS.headersMs), '408; the connection is closed'],
  ['Time for headers and body', seconds(CONNECTION_LIMITS.requestMs), '408; the connection is closed'],
  [
    'Idle connection between two requests',
    seconds(CONNECTION_LIMITS.keepAliveMs),
    'The connection is closed',
  ],
  [
    'Client that does not answer TCP probes, after its last packet',
    seconds(CONNECTION_LIMITS.probeMs + PROBES_MS),
    'The connection is closed',
  ],
  ['Upgrade to a WebSocket', seconds(CONNECTION_LIMITS.upgradeMs), 'The connection is closed'],
  ['Requests of a process that stops', seconds(CONNECTION_LIMITS.closeMs), 'The connection is closed'],
  [
    'Unsent bytes for a client network',
    `${number(CONNECTION_LIMITS.reading.unsentPerClient)} bytes`,
    'The connection that waits longest is closed',
  ],
  [
    'Unsent bytes of a process',
    `${number(CONNECTION_LIMITS.reading.unsentTotal)} bytes`,
    'The network with the most loses the connection that waits longest',
  ],
  [
    'Speed at which a client reads what was sent',
    `${number(CONNECTION_LIMITS.reading.bytesPerSecond)} bytes a second, over ${seconds(CONNECTION_LIMITS.reading.slowMs)}`,
    'The connection is closed',
  ],
  ['Pipelined requests on a connection', number(MAX_UNANSWERED), 'The connection is closed'],
  [
    'Connections of a client network without a complete request',
    `${number(CONNECTION_LIMITS.incompletePerClient)}; not counted for ${seconds(CONNECTION_LIMITS.incompleteGraceMs)}`,
    '408 for the oldest; the connection is closed',
  ],
  [
    'Connections of a process',
    number(CONNECTION_LIMITS.maxConnections),
    'Connections that wait for the client network with the most of them are closed; if there are none, new ones are',
  ],
  [
    'Requests in flight in a process',
    `${defaultOf('MAX_REQUESTS_IN_FLIGHT')}; the same number again for signed requests and submits`,
    '503 OVERLOADED with `Retry-After`',
  ],
]

const lists: Limit[] = [
  [
    '`limit`, `first` or `last` of a list',
    `${PAGE_LIMIT.min} to ${PAGE_LIMIT.max}, default ${PAGE_LIMIT.default}`,
    '400 INVALID_INTEGER',
  ],
  ['`name` of `GET /agents`', `1 to ${MAX_NAME_SEARCH} characters`, '400 INVALID_TEXT'],
]

const graphql: Limit[] = [
  ['Length of a document', `${number(LIMITS.characters)} characters`, '400 INVALID_REQUEST'],
  ['Tokens of a document', number(LIMITS.tokens), '400 INVALID_REQUEST'],
  ['Depth of an operation', `${LIMITS.depth} levels`, '400 INVALID_REQUEST'],
  ['Root fields of an operation', number(LIMITS.rootFields), '400 INVALID_REQUEST'],
  ['Fields of an operation, fragments included', number(LIMITS.fields), '400 INVALID_REQUEST'],
  [
    'Fields of all operations and fragments of a document',
    number(LIMITS.documentFields),
    '400 INVALID_REQUEST',
  ],
  [
    'Pairs of fields with the same name in one object, and of fragments',
    number(LIMITS.repeatedFields),
    '400 INVALID_REQUEST',
  ],
  ['Values in the JSON of a request', number(LIMITS.values), '400 INVALID_REQUEST'],
  ['Values in nested lists of a response', number(LIMITS.nestedValues), '400 QUERY_TOO_LARGE'],
  ['Persisted documents of a process', number(MAX_DOCUMENTS), 'The least recently used one is removed'],
  [
    'WebSockets of a client network',
    number(CONNECTION_LIMITS.sockets.perClient),
    '429 CLIENT_SOCKETS_FULL with `Retry-After`',
  ],
  [
    'WebSockets of a process',
    number(CONNECTION_LIMITS.sockets.total),
    'Another one is closed, see below; otherwise 503 TOO_MANY_SOCKETS with `Retry-After`',
  ],
  [
    'WebSocket without an operation',
    seconds(CONNECTION_LIMITS.socketIdleMs),
    'The socket is closed with code 1000',
  ],
  ['Message on a WebSocket', `${number(MAX_MESSAGE_BYTES)} bytes`, 'The socket is closed'],
  [
    'Payload of a `ping` or `pong` message',
    `${number(MAX_CONTROL_CHARACTERS)} characters`,
    'The socket is closed with code 4400',
  ],
  [
    'Live streams of a client network',
    number(STREAM_LIMITS.perClient),
    '429 TOO_MANY_STREAMS with `Retry-After`',
  ],
  [
    'Live streams of a process',
    number(STREAM_LIMITS.total),
    'Another one is closed, see below; otherwise 503 STREAMS_FULL with `Retry-After`',
  ],
]

const mcp: Limit[] = [
  [
    'Open SSE sessions of a client network',
    number(CONNECTION_LIMITS.sessions.perClient),
    '429 MCP_SESSIONS_FULL with `Retry-After`',
  ],
  [
    'Open SSE sessions of a process',
    number(CONNECTION_LIMITS.sessions.total),
    'Another one is closed, see above; otherwise 503 TOO_MANY_SESSIONS with `Retry-After`',
  ],
  ['SSE session without a message', seconds(CONNECTION_LIMITS.sessionIdleMs), 'The stream is closed'],
  ['Agents of a subscription', number(MAX_SUBSCRIBED), '400 INVALID_REQUEST'],
  ['Values in the JSON of a message', number(MAX_VALUES), '400 INVALID_REQUEST'],
]

const relay: Limit[] = [
  ['Instructions', number(RELAY_POLICY.maxInstructions), '400 TOO_MANY_INSTRUCTIONS'],
  [
    'Transaction with signatures',
    `${number(RELAY_POLICY.maxTransactionBytes)} bytes`,
    '400 TRANSACTION_TOO_LARGE',
  ],
  ['`accountKeys` of a fee estimate', number(RELAY_POLICY.maxFeeAccounts), '400 TOO_MANY_ACCOUNT_KEYS'],
  ['Compute units', number(RELAY_POLICY.computeUnits.cap), '422 SIMULATION_FAILED'],
  [
    'Priority fee',
    `${number(RELAY_POLICY.priorityFee.ceiling)} micro-lamports per compute unit`,
    'The fee is lowered',
  ],
  [
    'Time that a submit waits for `confirmed`',
    `${number(SUBMIT_WAIT_MS)} ms`,
    'The response has status `submitted`',
  ],
]

const sponsorship: Limit[] = [
  ['Sponsored registrations of a wallet', '1', '409 WALLET_SPONSORED'],
  [
    'Sponsored registrations of a client network: signed in 24 hours, or prepared and not expired',
    defaultOf('SPONSOR_DAILY_PER_CLIENT'),
    '429 SPONSOR_CLIENT_LIMIT',
  ],
  [
    'Other sponsored transactions of a wallet in 24 hours',
    defaultOf('SPONSOR_DAILY_TX_PER_WALLET'),
    '429 SPONSOR_WALLET_LIMIT',
  ],
  [
    'Other sponsored transactions of a client network in 24 hours',
    defaultOf('SPONSOR_DAILY_TX_PER_CLIENT'),
    '429 SPONSOR_CLIENT_TRANSACTION_LIMIT',
  ],
  [
    'Failed registrations of an invite code that return its use',
    number(SPONSOR_POLICY.registration.freeFailuresPerCode),
    '403 INVITE_CODE_INVALID',
  ],
  [
    'Lamports for sponsorship in 24 hours',
    defaultOf('SPONSOR_DAILY_BUDGET_LAMPORTS'),
    '503 SPONSOR_BUDGET_USED',
  ],
  [
    'Part of these lamports for other transactions',
    `${SPONSOR_POLICY.transaction.budgetShare} %`,
    '503 SPONSOR_BUDGET_USED',
  ],
  [
    'Minimum balance of the fee payer in lamports',
    defaultOf('SPONSOR_MIN_BALANCE_LAMPORTS'),
    '503 SPONSOR_BALANCE_LOW',
  ],
  ['Lamports for one transaction', number(SPONSOR_POLICY.maxLamports), '403 SPONSOR_COST_EXCEEDED'],
  [
    'Compute units of a registration',
    number(SPONSOR_POLICY.registration.maxComputeUnits),
    '403 SPONSOR_COST_EXCEEDED',
  ],
  [
    'Compute units of another transaction',
    number(SPONSOR_POLICY.transaction.maxComputeUnits),
    '403 SPONSOR_COST_EXCEEDED',
  ],
  [
    'Instructions of another transaction',
    number(SPONSOR_POLICY.transaction.maxInstructions),
    '400 TOO_MANY_INSTRUCTIONS',
  ],
  [
    'Priority fee',
    `${number(SPONSOR_POLICY.maxPriorityFee)} micro-lamports per compute unit`,
    'The fee is lowered',
  ],
]

const walletAuth: Limit[] = [
  ['Difference between the timestamp and the clock', seconds(TOLERANCE_MS), '401 SIGNATURE_EXPIRED'],
  ['Client networks that use a signature', '1', '401 SIGNATURE_USED'],
  ['Age of a challenge', `${CHALLENGE_MS / 60_000} minutes`, '401 SIGN_IN_NONCE'],
  ['Size of a sign-in message', `${number(MAX_SIGN_IN_BYTES)} bytes`, '400 INVALID_SIGN_IN_MESSAGE'],
  ['Length of a session', `${SESSION_MS / 3_600_000} hours`, '401 SESSION_INVALID'],
  ['Session without a request', `${IDLE_MS / 3_600_000} hour`, '401 SESSION_INVALID'],
  ['Sessions of a wallet', number(MAX_SESSIONS), 'The one that was not used for the longest time ends'],
]

const webhooks: Limit[] = [
  ['Webhooks of a wallet', number(MAX_PER_WALLET), '409 TOO_MANY_WEBHOOKS'],
  [
    'New webhooks of a client network in 24 hours, deleted ones too',
    defaultOf('WEBHOOK_DAILY_PER_NETWORK'),
    '429 WEBHOOK_CLIENT_LIMIT',
  ],
  ['Length of `url`', `${number(MAX_URL_LENGTH)} characters`, '400 RECEIVER_REFUSED'],
  [
    'Ports of `url`',
    `${SETTINGS.WEBHOOK_ALLOWED_PORTS.default} (${code('WEBHOOK_ALLOWED_PORTS')})`,
    '400 RECEIVER_REFUSED',
  ],
  ['Time of an attempt', seconds(WORKER_LIMITS.deadlineMs), 'The attempt fails'],
  [
    'Time of a first attempt to a new or slow webhook',
    seconds(WORKER_LIMITS.firstDeadlineMs),
    'The attempt fails',
  ],
  ['Attempts of a delivery', number(RETRY_SCHEDULE.length), 'The delivery fails'],
  ['Attempts at once, per webhook', number(WORKER_LIMITS.perEndpoint), 'Deliveries wait'],
  ['Attempts at once, per site (registrable domain)', number(WORKER_LIMITS.perSite), 'Deliveries wait'],
  ['Attempts at once, per process, to fast webhooks', number(WORKER_LIMITS.concurrency), 'Deliveries wait'],
  [
    'Attempts at once, per process, to new and slow webhooks',
    number(WORKER_LIMITS.slowConcurrency),
    'Deliveries wait',
  ],
  [
    '`Retry-After` of a receiver',
    `${seconds(MIN_RETRY_AFTER_MS)} to ${seconds(MAX_RETRY_AFTER_MS)}`,
    'The value is moved into this range',
  ],
  ['Attempts in a row that reach nobody', number(BREAKER_FAILURES), 'The webhook pauses'],
  ['Time with only failures', `${FAILING_DAYS} days`, 'The webhook is disabled'],
  ['Time range of a recovery', `${MAX_DAYS} days`, '400 RECOVERY_TOO_LONG'],
  [
    'Deliveries of a recovery',
    `${number(MAX_RECOVERED)}, and what the rate limit has left`,
    '`more` is true; call again',
  ],
  ['Stored characters of a response', number(MAX_EXCERPT), 'The rest is not read'],
  [
    `Stored characters of a response after ${EXCERPT.wholeDays} days`,
    number(EXCERPT.keptCharacters),
    'The rest is deleted',
  ],
  ['Attempts shown for a delivery', `the last ${ATTEMPTS_SHOWN}`, 'Older attempts are not shown'],
  ['Pings of a webhook', `the last ${MAX_PINGS}`, 'Older pings are deleted'],
]

const credentials: Limit[] = [
  ['Length of `credentialUrl`', `${number(MAX_CREDENTIAL_URL)} characters`, '400 INVALID_TEXT'],
  ['Size of a credential', `${number(MAX_CREDENTIAL_BYTES)} bytes`, 'All checks fail'],
  ['Nesting of a credential', `${JSON_LIMITS.depth} levels`, 'All checks fail'],
  ['Values in a credential', number(JSON_LIMITS.values), 'All checks fail'],
  ['Entries of an array in a credential', number(JSON_LIMITS.arrayItems), 'All checks fail'],
  ['Length of a text in a credential', `${number(JSON_LIMITS.stringLength)} characters`, 'All checks fail'],
  ['Types of a credential', number(MAX_TYPES), 'The check `type` fails'],
  ['Length of the issuer of a credential', `${number(MAX_ISSUER_LENGTH)} characters`, 'The issuer is empty'],
  ['Contexts of a credential', number(MAX_CONTEXTS), 'The check `context` fails'],
  ['Proofs of a credential', number(MAX_PROOFS), 'The check `proof_present` fails'],
  ['Entries of a `credentialStatus`', number(MAX_STATUS_ENTRIES), 'The check `status` fails'],
  [
    'Length of the URL of a status list',
    `${number(MAX_LIST_URL_LENGTH)} characters`,
    'The check `status` fails',
  ],
  ['Size of a status list', `${number(MAX_LIST_BYTES)} bytes`, 'The check `status` fails'],
  [
    'Entries of a status list',
    `${number(MIN_LIST_ENTRIES)} to ${number(MAX_LIST_ENTRIES)}`,
    'The check `status` fails',
  ],
  [
    'Time for which a status list is kept',
    `at most ${MAX_LIST_AGE_MS / 60_000} minutes`,
    'It is fetched again',
  ],
  ['Credentials of an agent', number(MAX_CREDENTIALS), 'The credentials attached first are removed'],
  [
    'Time between two checks of an agent card',
    'at least 1 minute',
    'The last change is checked when the minute is over',
  ],
  ['Time to fetch an agent card', seconds(CARD_TIMING.fetchMs), 'The card counts as unreachable'],
  ['Checks of agent cards of one site at once', number(CHECKS_PER_SITE), 'Checks wait'],
  [
    'Fetches of credentials of one site at once, and of status lists, per process',
    `${CREDENTIAL_FETCHES.perSite}; from a gateway ${CREDENTIAL_FETCHES.perGateway}`,
    'Fetches wait',
  ],
  [
    'Bytes read from one site for cards, credentials and status lists, per process',
    `${number(SITE_BYTES_PER_MINUTE)} per minute; gateways have no limit`,
    'A check waits a minute, others fail',
  ],
  [
    'Checks before a registration of cards of one site at once, per process',
    `${NEW_CARD_CHECKS.atOnce.site}; through a gateway ${NEW_CARD_CHECKS.atOnce.gateway}`,
    '503 CARD_CHECKS_BUSY',
  ],
  [
    'Checks before a registration that fetch a card of one site, per process',
    `${NEW_CARD_CHECKS.perMinute.site} per minute; through a gateway ${NEW_CARD_CHECKS.perMinute.gateway}`,
    '503 CARD_CHECKS_BUSY',
  ],
  [
    'Checks before a registration that fetch a card, in a process at once',
    number(NEW_CARD_CHECKS.all),
    '503 CARD_CHECKS_BUSY',
  ],
  ['Agent card that is sent as text', `${number(MAX_PUBLISHED_CARD)} bytes`, '400 INVALID_TEXT'],
  ['First checks of agent cards in a process at once', number(CARD_QUEUES.first.inFlight), 'Checks wait'],
  [
    'Time between two refreshes of an agent’s credentials',
    `at least ${CARD_TIMING.credentialsPauseMs / 60_000} minutes`,
    'The refresh waits',
  ],
  ['Size of an agent card', `${number(MAX_CARD_BYTES)} bytes`, 'The card counts as unreachable'],
  [
    'Texts of an agent card',
    `${number(CARD_LIMITS.text)} characters; names, versions and tags ${CARD_LIMITS.shortText}`,
    'The rest is not shown',
  ],
  [
    'Skills of an agent card',
    `${CARD_LIMITS.skills}, and ${number(CARD_LIMITS.skillsBytes)} bytes in all`,
    'The others are not shown',
  ],
  ['Tags of a skill of an agent card', number(CARD_LIMITS.tags), 'The others are not shown'],
  [
    'Interfaces of an agent card',
    `${CARD_LIMITS.interfaces}, and ${number(CARD_LIMITS.interfacesBytes)} bytes in all`,
    'The others are not shown',
  ],
  [
    'Credentials that an agent card lists',
    `${CARD_LIMITS.credentials}, and ${number(CARD_LIMITS.credentialsBytes)} bytes in all`,
    'The others are ignored',
  ],
]

const retention: [string, string][] = [
  ['Transactions that were prepared and not submitted', `${TRANSACTION_DAYS.unsubmitted} day`],
  ['Transactions that were submitted and never landed', `${TRANSACTION_DAYS.notLanded} days`],
  ['Transactions that landed', `${TRANSACTION_DAYS.landed} days`],
  ['Webhook deliveries and attempts', `${RETENTION_DAYS} days`],
]

const section = (title: string, limits: readonly Limit[]): string[] => [
  `## ${title}`,
  table(['Limit', 'Value', 'If exceeded'], limits),
]

export function limitsPage(): string {
  return page(
    '# Limits',
    'A client network is an IPv4 address or the /64 network of an IPv6 address. A value with the name of a [setting](settings.md) is a default that the operator can change. The codes are explained in [errors](errors.md). The errors of a GraphQL operation have the status in `extensions.status`; the HTTP status is usually 200.',
    '## Rate limits',
    `Every client network has these limits. A client can use a whole limit at once; it is then refilled evenly over a minute. Every request costs one unit of \`reads\` before its body is read, also if it is invalid; health checks and \`/metrics\` cost none. A file of a page costs units of \`files\` instead: 5 for one of \`/docs\`, 20 for one of GraphiQL, others one. A search by name or words, a filter by reputation, a filter of deliveries by status, event or agent, figures of a webhook and numbers for charts cost ${SEARCH_UNITS} units, a preparation ${PREPARE_UNITS}, and the MCP tool \`list_agents\` one more than \`GET /agents\`. An \`offset\` costs one unit more for each ${number(SKIPPED_PER_UNIT)} entries that it skips, at most ${MAX_OFFSET_UNITS}. Other limits count some requests in addition. Responses have the headers \`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\` (seconds). A request above the limit gets 429 \`RATE_LIMITED\` with \`Retry-After\`. [Endpoints](endpoints.md) shows which limit counts which request.`,
    table(['Requests', 'Value', 'Counted by'], rateLimits),
    `A GraphQL operation costs one unit for each root field, and one for each ${number(VALUES_PER_UNIT)} values that its response can have at most: a scalar is one value, an object ${OBJECT_WEIGHT}, the card of an agent ${CARD_WEIGHT}, its credentials ${CREDENTIALS_WEIGHT}, and a list has as many entries as \`first\`, \`last\` or \`limit\` allows. The directive \`@cost\` of the schema names what a field costs ([GraphQL](../guides/graphql.md#costs)). Its document costs one more for each ${number(CHARACTERS_PER_UNIT)} characters. Without enough units left, the response is 429 \`RATE_LIMITED\`; on a WebSocket, the operation has that error. With \`after\`, a subscription to events costs its units again for each ${EVENTS_PER_CHARGE} earlier events and for each page of them that is read from the database; without enough units left, it waits and then continues. A body costs one more for each ${number(BYTES_PER_UNIT)} bytes. A message on a WebSocket costs ${MESSAGE_UNITS} units, and one for each ${number(BYTES_PER_UNIT)} bytes; while none are left, the service does not read the socket. An operation that costs more than the whole limit gets 400 \`REQUEST_TOO_EXPENSIVE\`.`,
    ...section('Requests and connections', requests),
    ...section('Lists', lists),
    ...section('GraphQL and live streams', graphql),
    'If the sockets, streams or MCP sessions of a process are all taken, a new one takes the place of an idle one: a socket without an operation, or a session without a message for a minute. If none is idle, the client network with the most of them loses the one that it used longest ago. Clients open a connection again that was closed with code 1000 or 1013, or cut.',
    ...section('MCP', mcp),
    ...section('Relay', relay),
    ...section('Sponsorship', sponsorship),
    ...section('Wallet authentication', walletAuth),
    ...section('Webhooks', webhooks),
    ...section('Credentials and agent cards', credentials),
    '## Retention',
    'The gateway deletes old records after this time. Data of the ledger stays.',
    table(['Records', 'Kept for'], retention),
  )
}
