import { registryIdl } from '@agent-registry/program'
import { isPubkey, type Pubkey } from '@agent-registry/solana'
import { isOperatorToken, parseSecretsKey } from '../keys.ts'
import { RATE_LIMIT_KINDS, type RateLimitNumbers } from '../rate-limits/rate-limits.ts'

/** Parses a setting. Throws SettingError with the allowed values. */
interface Parser<Value> {
  (text: string): Value
  /** The allowed values, for error messages and the settings reference. */
  readonly accepts: string
}

export class SettingError extends Error {
  override readonly name = 'SettingError'
}

/** `parse` returns undefined for a value that is not allowed. */
function parser<Value>(accepts: string, parse: (text: string) => Value | undefined): Parser<Value> {
  const parseOrThrow = (text: string): Value => {
    const value = parse(text)
    if (value === undefined) throw new SettingError(`must be ${accepts}`)
    return value
  }
  return Object.assign(parseOrThrow, { accepts })
}

function integer(min: number, max: number): Parser<number> {
  return parser(`an integer from ${min} to ${max}`, (text) => {
    const value = Number(text)
    return /^\d+$/.test(text) && value >= min && value <= max ? value : undefined
  })
}

function oneOf<const Choice extends string>(...choices: Choice[]): Parser<Choice> {
  return parser(`one of ${choices.join(', ')}`, (text) => choices.find((choice) => choice === text))
}

function url(...protocols: string[]): Parser<string> {
  return textThat(`a URL with scheme ${protocols.join(' or ')}`, (value) =>
    protocols.includes(URL.parse(value)?.protocol.slice(0, -1) ?? ''),
  )
}

/** Comma-separated values. An error names what each of them must be. */
function list<Item>(item: Parser<Item>): Parser<Item[]> {
  const parseList = (text: string): Item[] =>
    text
      .split(',')
      .map((each) => each.trim())
      .filter((each) => each !== '')
      .map(item)
  return Object.assign(parseList, { accepts: `a list; each item is ${item.accepts}` })
}

/** `on` and `off` are older spellings. */
const boolean: Parser<boolean> = parser('true or false', (value) => {
  if (value === 'true' || value === 'on') return true
  return value === 'false' || value === 'off' ? false : undefined
})

const MAX_PER_MINUTE = 1_000_000

/** The limits per minute and client. `false` turns all of them off: null. */
const rateLimits: Parser<RateLimitNumbers | null> = parser(
  `true, false, or limits such as reads=1200,verify=5, each once and from 1 to ${MAX_PER_MINUTE}`,
  (value) => {
    const numbers = Object.fromEntries(
      Object.entries(RATE_LIMIT_KINDS).map(([kind, { perMinute }]) => [kind, perMinute]),
    ) as Record<keyof RateLimitNumbers, number>
    if (value === 'true' || value === 'on') return numbers
    if (value === 'false' || value === 'off') return null
    const given = new Set<string>()
    for (const each of value.split(',')) {
      const [, kind = '', digits = ''] = /^\s*(\w+)=(\d+)\s*$/.exec(each) ?? []
      const perMinute = Number(digits)
      const isNew = Object.hasOwn(numbers, kind) && !given.has(kind)
      if (!isNew || perMinute < 1 || perMinute > MAX_PER_MINUTE) return undefined
      given.add(kind)
      numbers[kind as keyof RateLimitNumbers] = perMinute
    }
    return numbers
  },
)

const publicKey: Parser<Pubkey> = parser('a base-58 public key of 32 bytes', (value) =>
  isPubkey(value) ? value : undefined,
)

const secretsKey: Parser<Buffer> = parser(
  'a key of 32 bytes in hex or base64',
  (value) => parseSecretsKey(value) ?? undefined,
)

const textThat = (accepts: string, allows: (value: string) => boolean): Parser<string> =>
  parser(accepts, (value) => (allows(value) ? value : undefined))

const text = textThat('text', () => true)
const network = textThat('an IP address or a CIDR block', (value) =>
  /^[0-9a-fA-F.:]+(\/\d{1,3})?$/.test(value),
)

/** As a browser sends it. */
const isOrigin = (value: string): boolean => URL.parse(value)?.origin === value
const pageOrigin = textThat('an origin such as https://app.example.org', isOrigin)
const origin = textThat(
  'an origin such as https://app.example.org, or *',
  (value) => value === '*' || isOrigin(value),
)

/** Read from the environment variable with its name. Without a default it may be absent. */
export interface Setting<Value> {
  readonly parse: Parser<Value>
  readonly default?: string
  /** The default while the localnet is the ledger, if it is another one. */
  readonly localnetDefault?: string
  /** One line for `.env.example` and the settings reference. */
  readonly meaning: string
}

const setting = <Value>(parse: Parser<Value>, meaning: string): Setting<Value> & { default?: undefined } => ({
  parse,
  meaning,
})
const withDefault = <Value>(
  parse: Parser<Value>,
  value: string,
  meaning: string,
  localnetDefault = value,
): Setting<Value> & { default: string } => ({ parse, default: value, meaning, localnetDefault })

const ROLES = ['api', 'indexer', 'webhooks', 'cards'] as const

/** Every setting of the service. All are optional. */
export const SETTINGS = {
  PORT: withDefault(integer(0, 65_535), '3000', 'HTTP port; 0 takes a free one'),
  HOST: withDefault(text, '127.0.0.1', 'Address to listen on'),
  BASE_URL: setting(url('http', 'https'), 'Public URL of the service; default `http://HOST:PORT`'),
  DATA_DIR: withDefault(
    text,
    './.data',
    'Folder for the embedded database, the localnet and its keys. As root, the database may be in /var/lib/agent-registry-gateway',
  ),
  DATABASE_URL: setting(
    url('postgres', 'postgresql'),
    'PostgreSQL 15 or newer; without it, the embedded PostgreSQL starts',
  ),
  SOLANA_RPC_URL: setting(
    list(url('http', 'https')),
    'Comma-separated JSON-RPC URLs of one cluster; without it, the localnet starts if HOST is loopback and NODE_ENV is not `production`',
  ),
  SOLANA_WS_URL: setting(
    list(url('ws', 'wss')),
    'Comma-separated WebSocket URLs of the same nodes; default derived from SOLANA_RPC_URL',
  ),
  REGISTRY_PROGRAM_ID: withDefault(publicKey, registryIdl.address, 'Address of the registry program'),
  COMMITMENT: withDefault(
    oneOf('confirmed', 'finalized'),
    'confirmed',
    'Commitment at which the ledger is read',
  ),
  INDEXER_POLL_MS: withDefault(
    integer(50, 60_000),
    '1000',
    'Poll interval for transactions that the WebSocket did not announce, in ms',
  ),
  INDEXER_BATCH_SIZE: withDefault(integer(1, 1_000), '100', 'Transactions per fetch from the node'),
  LOCALNET: withDefault(
    boolean,
    'false',
    '`true` starts the localnet although HOST is not loopback or NODE_ENV is `production`, for example in a container',
  ),
  LOCALNET_PORT: withDefault(
    integer(0, 65_534),
    '8899',
    'JSON-RPC port of the localnet; the WebSocket uses the next port',
  ),
  SEED_AGENTS: withDefault(
    integer(0, 10_000),
    '24',
    'Sample agents to register on the first start of the localnet',
  ),
  FEE_PAYER_KEYPAIR: setting(text, 'Key of the fee payer: path of a Solana CLI JSON file, or the JSON array'),
  SPONSORSHIP_ENABLED: withDefault(
    boolean,
    'true',
    'Lets the fee payer sponsor registrations and transactions',
  ),
  SPONSOR_DAILY_BUDGET_LAMPORTS: withDefault(
    integer(0, Number.MAX_SAFE_INTEGER),
    '1000000000',
    'Maximum lamports for sponsorship in 24 hours; at most half of it for transactions other than registrations',
    '10000000000',
  ),
  SPONSOR_MIN_BALANCE_LAMPORTS: withDefault(
    integer(0, Number.MAX_SAFE_INTEGER),
    '50000000',
    'Minimum balance of the fee payer in lamports; sponsorship pauses below it',
  ),
  SPONSOR_DAILY_PER_CLIENT: withDefault(
    integer(1, 1_000_000),
    '5',
    'Sponsored registrations per client network in 24 hours: signed ones, and prepared ones that can still be signed',
    '1000',
  ),
  SPONSOR_DAILY_TX_PER_WALLET: withDefault(
    integer(0, 1_000_000),
    '20',
    'Sponsored transactions per wallet in 24 hours, registrations not counted',
  ),
  SPONSOR_DAILY_TX_PER_CLIENT: withDefault(
    integer(0, 1_000_000),
    '100',
    'Sponsored transactions per client network in 24 hours, registrations not counted',
  ),
  RELAY_ALLOWED_PROGRAMS: setting(
    list(publicKey),
    'Comma-separated programs that replace the relay allowlist',
  ),
  TRUST_PROXY: withDefault(list(network), '', 'Comma-separated proxies whose X-Forwarded-For is trusted'),
  CORS_ORIGINS: withDefault(
    list(origin),
    '*',
    'Comma-separated origins that may call the service from a browser; `*` allows all, but not to call `/mcp` of a service that only this machine can reach',
  ),
  SIGN_IN_ORIGINS: setting(
    list(pageOrigin),
    'Comma-separated origins of pages on which users may sign in, in addition to BASE_URL; default CORS_ORIGINS without `*`',
  ),
  OPERATIONS_DIR: setting(
    text,
    'Folder with `*.graphql` files that become endpoints under `/x/` and MCP tools; default none',
  ),
  CONSOLE: withDefault(boolean, 'true', 'Serves the web console at /console/; `false` switches it off'),
  REGISTRY_BYTES: withDefault(
    integer(0, Number.MAX_SAFE_INTEGER),
    '1610612736',
    'Maximum memory of the copy of all agents and stakes that answers reads and searches, in bytes; 0 switches it off',
  ),
  WEBHOOK_DEV_MODE: setting(
    boolean,
    'Allows webhook receivers on http and loopback; default `true` only on the localnet while HOST is loopback and NODE_ENV is not `production`',
  ),
  WEBHOOK_ALLOWED_PORTS: withDefault(
    list(integer(1, 65_535)),
    '443',
    'Comma-separated ports that webhook receivers may use',
  ),
  WEBHOOK_DAILY_PER_NETWORK: withDefault(
    integer(1, 1_000_000),
    '100',
    'New webhooks per client network (IPv4 address or IPv6 /64) in 24 hours',
  ),
  WEBHOOK_SECRETS_KEY: setting(
    list(secretsKey),
    'Comma-separated keys (32 bytes, hex or base64) that encrypt webhook secrets; created on the localnet',
  ),
  CREDENTIAL_CONTEXTS_DIR: setting(text, 'Folder with an index.json of additional pinned JSON-LD contexts'),
  IPFS_GATEWAY: setting(
    url('http', 'https'),
    'HTTP gateway for ipfs:// agent cards and credentials; the localnet has one for the sample agents',
  ),
  ARWEAVE_GATEWAY: setting(url('http', 'https'), 'HTTP gateway for ar:// agent cards and credentials'),
  OPERATOR_TOKEN: setting(
    textThat('at least 32 ASCII characters without spaces', isOperatorToken),
    'Bearer token of the operator’s page and fields, which can create invite codes and change trusted issuers; without it, only the command line can; created on the localnet',
  ),
  METRICS_TOKEN: setting(
    text,
    'Bearer token with which other machines read `/metrics`; without it, only this machine can',
  ),
  RATE_LIMITS: withDefault(
    rateLimits,
    'true',
    'Requests per minute and client: `true` for the defaults, `reads=1200,verify=5` to change these limits, `false` to turn all off for load tests; sponsorship quotas stay',
  ),
  MAX_REQUESTS_IN_FLIGHT: withDefault(
    integer(0, 100_000),
    '1000',
    'Requests in flight at once; the same number of signed ones; 0 queues every request, for benchmarks',
  ),
  ROLES: withDefault(list(oneOf(...ROLES)), ROLES.join(','), 'Comma-separated roles of this process'),
  LOG_LEVEL: withDefault(
    oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    'info',
    'Lowest log level that is written',
  ),
} satisfies Record<string, Setting<unknown>>

/** The parsed value of every setting; null where it is absent and has no default. */
export type SettingValues = {
  readonly [Name in keyof typeof SETTINGS]:
    | ReturnType<(typeof SETTINGS)[Name]['parse']>
    | ((typeof SETTINGS)[Name] extends { default: string } ? never : null)
}
