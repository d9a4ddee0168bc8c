import { registryIdl } from '@agent-registry/program'
import {
  boolean,
  integer,
  list,
  network,
  oneOf,
  origin,
  type Parser,
  publicKey,
  secretsKey,
  text,
  url,
} from './parsers.ts'

/** A setting: read from the environment variable of its name; a setting without default may be absent. */
export interface Setting<Value> {
  readonly parse: Parser<Value>
  readonly default?: string
  /** One line for `.env.example` and the README. */
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
): Setting<Value> & { default: string } => ({
  parse,
  default: value,
  meaning,
})

const perMinute = integer(1, 1_000_000)

export const ROLES = ['api', 'indexer', 'webhooks', 'cards'] as const

/** Every setting of the service. All are optional. */
export const SETTINGS = {
  PORT: withDefault(integer(0, 65_535), '3000', 'HTTP port; 0 takes a free one'),
  HOST: withDefault(text, '127.0.0.1', 'Address to listen on'),
  BASE_URL: setting(url('http', 'https'), 'Public address of the service; default `http://HOST:PORT`'),
  DATA_DIR: withDefault(text, './.data', 'Folder of the embedded database, the localnet and its keys'),
  DATABASE_URL: setting(
    url('postgres', 'postgresql'),
    'PostgreSQL 15 or newer; without it the embedded PostgreSQL starts',
  ),
  SOLANA_RPC_URL: setting(
    list(url('http', 'https')),
    "JSON-RPC of a cluster's nodes, comma-separated; else the localnet starts",
  ),
  SOLANA_WS_URL: setting(
    list(url('ws', 'wss')),
    'WebSockets of these nodes; default derived from SOLANA_RPC_URL',
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
    'How often the node is asked for news that it did not announce, in ms',
  ),
  INDEXER_VERIFY_MS: withDefault(
    integer(50, 600_000),
    '2000',
    'How often what was read is compared with the finalized ledger, in ms',
  ),
  INDEXER_BATCH_SIZE: withDefault(integer(1, 1_000), '100', 'Transactions fetched from the node at a time'),
  INDEXER_FETCH_AHEAD: withDefault(
    integer(1, 64),
    '12',
    'Batches fetched ahead while catching up; bounds memory',
  ),
  LOCALNET_PORT: withDefault(
    integer(0, 65_534),
    '8899',
    'JSON-RPC port of the localnet; WebSocket is the next one',
  ),
  SEED_AGENTS: withDefault(
    integer(0, 10_000),
    '24',
    'Sample agents registered at the first start of the localnet',
  ),
  FEE_PAYER_KEYPAIR: setting(text, 'Fee payer key: path of a Solana CLI JSON file, or the JSON array itself'),
  SPONSORSHIP_ENABLED: withDefault(boolean, 'true', 'Whether the fee payer may sponsor registrations'),
  SPONSOR_DAILY_BUDGET_LAMPORTS: withDefault(
    integer(0, Number.MAX_SAFE_INTEGER),
    '1000000000',
    'Most lamports that sponsorship may take in 24 hours; half of them for other than registrations',
  ),
  SPONSOR_MIN_BALANCE_LAMPORTS: withDefault(
    integer(0, Number.MAX_SAFE_INTEGER),
    '50000000',
    'Lamports that stay on the fee payer; below, sponsorship is paused',
  ),
  SPONSOR_DAILY_TX_PER_WALLET: withDefault(
    integer(0, 1_000_000),
    '20',
    'Sponsored transactions a wallet may have in 24 hours, its registration aside',
  ),
  RELAY_ALLOWED_PROGRAMS: setting(
    list(publicKey),
    'Comma-separated programs that replace the relay allowlist',
  ),
  RELAY_SUBMIT_WAIT_MS: withDefault(
    integer(0, 60_000),
    '5000',
    'How long a submit waits for `confirmed`, in ms',
  ),
  TRUST_PROXY: withDefault(list(network), '', 'Comma-separated proxies whose X-Forwarded-For counts'),
  CORS_ORIGINS: withDefault(
    list(origin),
    '*',
    'Comma-separated origins whose pages may call the service; `*` is all',
  ),
  RESPONSE_CACHE_BYTES: withDefault(
    integer(0, Number.MAX_SAFE_INTEGER),
    '67108864',
    'What kept answers to reads may take in memory, in bytes; 0 keeps none',
  ),
  WEBHOOK_DEV_MODE: setting(boolean, 'Allows http and loopback receivers; default true on the localnet only'),
  WEBHOOK_ALLOWED_PORTS: withDefault(list(integer(1, 65_535)), '443', 'Ports that receivers may use'),
  WEBHOOK_SECRETS_KEY: setting(
    list(secretsKey),
    'Key (32 bytes, hex or base64) of stored webhook secrets; made on the localnet',
  ),
  CREDENTIAL_CONTEXTS_DIR: setting(text, 'Folder with an index.json of further pinned JSON-LD contexts'),
  IPFS_GATEWAY: setting(url('http', 'https'), 'Gateway for ipfs:// agent cards and credentials'),
  ARWEAVE_GATEWAY: setting(url('http', 'https'), 'Gateway for ar:// agent cards and credentials'),
  RATE_LIMITS: withDefault(boolean, 'true', '`false` for benches and load tests; money quotas stay'),
  RATE_LIMIT_READS: withDefault(perMinute, '600', 'Reads a minute and client'),
  RATE_LIMIT_PREPARE: withDefault(perMinute, '60', 'Transactions prepared a minute and client'),
  RATE_LIMIT_SUBMIT: withDefault(perMinute, '60', 'Transactions submitted a minute and client'),
  RATE_LIMIT_SPONSORED_PREPARE: withDefault(
    perMinute,
    '10',
    'Sponsored transactions prepared a minute and client',
  ),
  RATE_LIMIT_REGISTER: withDefault(perMinute, '20', 'Sponsored registrations tried a minute and client'),
  RATE_LIMIT_VERIFY: withDefault(perMinute, '20', 'Credentials verified a minute and client'),
  RATE_LIMIT_AUTHENTICATED: withDefault(perMinute, '120', 'Requests signed by a wallet a minute and client'),
  LOAD_SHEDDING: withDefault(boolean, 'true', '`false` queues every request, for benchmarks'),
  MAX_REQUESTS_IN_FLIGHT: withDefault(
    integer(1, 100_000),
    '1000',
    'Requests in flight at once; the same number of signed ones, and of bodies being received',
  ),
  MAX_DATABASE_QUEUE: withDefault(
    integer(2, 100_000),
    '1000',
    'Work waiting for a database connection; unsigned requests may use half of it',
  ),
  DATABASE_WAIT_MS: withDefault(
    integer(100, 60_000),
    '5000',
    'How long work waits for a database connection before it fails with 503, in ms',
  ),
  ROLES: withDefault(list(oneOf(...ROLES)), ROLES.join(','), 'What this process does'),
  LOG_LEVEL: withDefault(
    oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    'info',
    'Least level logged',
  ),
} satisfies Record<string, Setting<unknown>>

export type SettingName = keyof typeof SETTINGS

/** The parsed value of every setting; null where it is absent and has no default. */
export type SettingValues = {
  readonly [Name in SettingName]: (typeof SETTINGS)[Name] extends { default: string } & Setting<infer Value>
    ? Value
    : (typeof SETTINGS)[Name] extends Setting<infer Value>
      ? Value | null
      : never
}
