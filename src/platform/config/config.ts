import { resolve } from 'node:path'
import { OperatorError } from '../process/operator-error.ts'
import { RATE_LIMIT_KINDS } from '../rate-limits/rate-limits.ts'
import { type Setting, SettingError, SETTINGS, type SettingValues } from './settings.ts'
import type { SponsorLimits } from '../../domain/sponsorship.ts'
import { isLoopbackHost } from '../net/address-guard.ts'
import { editDistance } from '../../domain/nearest-name.ts'

export type Config = ReturnType<typeof toConfig>

/** Never printed. Separate from Config, so that logging the configuration cannot leak it. */
export interface Secrets {
  /** Path of a Solana CLI JSON file, or its JSON text. */
  feePayerKeypair: string | null
  /** 32 bytes each. The first one encrypts, all of them decrypt. */
  webhookSecretsKeys: Buffer[] | null
  /** For reading `/metrics` from other machines. */
  metricsToken: string | null
  /** Of the operator's page and fields. */
  operatorToken: string | null
}

/** All problems of the configuration, one line each. */
export class ConfigError extends OperatorError {
  override readonly name = 'ConfigError'
  readonly problems: readonly string[]

  constructor(problems: string[]) {
    super(
      `The configuration has ${problems.length} problem(s):\n${problems.map((each) => `  - ${each}`).join('\n')}`,
    )
    this.problems = problems
  }
}

/** Reads and checks every setting. Throws ConfigError with all problems. Empty means absent. */
export function readConfig(env: Record<string, string | undefined>): { config: Config; secrets: Secrets } {
  const problems: string[] = []
  const values = Object.fromEntries(
    Object.entries(SETTINGS).map(([name, setting]) => [name, readSetting(env, name, setting, problems)]),
  ) as unknown as SettingValues
  if (values.SOLANA_WS_URL !== null && values.SOLANA_RPC_URL === null) {
    problems.push('SOLANA_WS_URL is set without SOLANA_RPC_URL: set both, or neither for the localnet')
  }
  if (values.LOCALNET && values.SOLANA_RPC_URL !== null)
    problems.push('LOCALNET is true and SOLANA_RPC_URL is set: set one of them')
  if (values.ROLES?.length === 0)
    problems.push('ROLES is empty: set at least one of api, indexer, webhooks, cards')
  problems.push(...removedLimits(env))
  // A misspelled name may be the reason of a problem. Without problems it is a warning.
  if (problems.length > 0) throw new ConfigError([...problems, ...misspelledSettings(env)])
  return {
    config: toConfig(values, notDevelopment(values.HOST, env.NODE_ENV)),
    secrets: {
      feePayerKeypair: values.FEE_PAYER_KEYPAIR,
      webhookSecretsKeys: values.WEBHOOK_SECRETS_KEY,
      metricsToken: values.METRICS_TOKEN,
      operatorToken: values.OPERATOR_TOKEN,
    },
  }
}

function readSetting(
  env: Record<string, string | undefined>,
  name: string,
  setting: Setting<unknown>,
  problems: string[],
): unknown {
  const given = env[name]?.trim()
  const usual = env.SOLANA_RPC_URL?.trim() ? setting.default : (setting.localnetDefault ?? setting.default)
  const value = given === undefined || given === '' ? usual : given
  if (value === undefined) return null
  try {
    return setting.parse(value)
  } catch (error) {
    if (!(error instanceof SettingError)) throw error
    // Connection strings, keys and tokens may be or contain secrets, so their value is not shown.
    const shown = /URL|KEY|TOKEN/.test(name) ? '' : `, got ${JSON.stringify(value)}`
    problems.push(`${name} ${error.message}${shown} (${setting.meaning})`)
    return null
  }
}

/** A client waits that long for a database connection. Then the response is 503. */
const DATABASE_WAIT_MS = 5_000
/** The usual interval of finality checks. With fast polls they are as fast, for tests. */
const MAX_VERIFY_MS = 2_000
/** Batches that are fetched in advance. It bounds the memory while catching up. */
const INDEXER_FETCH_AHEAD = 12
/** As on a cluster, so that the localnet behaves like one. */
const LOCALNET_SLOT_MS = 400
const LOCALNET_FINALITY_SLOTS = 32
/** How long a submit waits for `confirmed`. Most time-outs of proxies are longer. */
export const SUBMIT_WAIT_MS = 5_000

function toConfig(values: SettingValues, exposed: string | null) {
  const isDevelopment = values.SOLANA_RPC_URL === null && exposed === null
  return {
    server: {
      host: values.HOST,
      port: values.PORT,
      baseUrl: values.BASE_URL,
      trustProxy: values.TRUST_PROXY,
      corsOrigins: values.CORS_ORIGINS,
      /** 0 turns the copy of agents and stakes off. */
      registryBytes: values.REGISTRY_BYTES,
      console: values.CONSOLE,
      operationsDir: values.OPERATIONS_DIR,
    },
    /** Null if limits are off. */
    rateLimits: values.RATE_LIMITS,
    /** Null if load shedding is off. */
    overload: values.MAX_REQUESTS_IN_FLIGHT > 0 ? { inFlight: values.MAX_REQUESTS_IN_FLIGHT } : null,
    dataDir: resolve(values.DATA_DIR),
    databaseUrl: values.DATABASE_URL,
    databaseWaitMs: DATABASE_WAIT_MS,
    ledger: {
      /** Nodes of one cluster in order of preference. Null for the localnet. */
      rpcUrls: values.SOLANA_RPC_URL,
      wsUrls: values.SOLANA_WS_URL,
      programId: values.REGISTRY_PROGRAM_ID,
      commitment: values.COMMITMENT,
    },
    indexer: {
      pollMs: values.INDEXER_POLL_MS,
      verifyMs: Math.min(MAX_VERIFY_MS, 2 * values.INDEXER_POLL_MS),
      batchSize: values.INDEXER_BATCH_SIZE,
      inFlight: INDEXER_FETCH_AHEAD,
    },
    localnet: {
      port: values.LOCALNET_PORT,
      slotMs: LOCALNET_SLOT_MS,
      finalitySlots: LOCALNET_FINALITY_SLOTS,
      seedAgents: values.SEED_AGENTS,
      /** Null if the localnet may start. */
      refusedBecause: values.LOCALNET ? null : exposed,
    },
    sponsorship: sponsorshipOf(values),
    /** Pages on which users may sign in. The first origin is the service's own. */
    signIn: { origins: signInOrigins(values), anyLoopback: isDevelopment },
    relay: { allowedPrograms: values.RELAY_ALLOWED_PROGRAMS, submitWaitMs: SUBMIT_WAIT_MS },
    webhooks: {
      devMode: values.WEBHOOK_DEV_MODE ?? isDevelopment,
      allowedPorts: values.WEBHOOK_ALLOWED_PORTS,
      dailyPerNetwork: values.WEBHOOK_DAILY_PER_NETWORK,
    },
    credentialContextsDir: values.CREDENTIAL_CONTEXTS_DIR,
    gateways: { ipfs: values.IPFS_GATEWAY, arweave: values.ARWEAVE_GATEWAY },
    roles: new Set(values.ROLES),
    logLevel: values.LOG_LEVEL,
  }
}

function sponsorshipOf(values: SettingValues): { enabled: boolean } & SponsorLimits {
  return {
    enabled: values.SPONSORSHIP_ENABLED,
    dailyBudget: BigInt(values.SPONSOR_DAILY_BUDGET_LAMPORTS),
    minBalance: BigInt(values.SPONSOR_MIN_BALANCE_LAMPORTS),
    dailyRegistrationsPerClient: values.SPONSOR_DAILY_PER_CLIENT,
    dailyTransactionsPerWallet: values.SPONSOR_DAILY_TX_PER_WALLET,
    dailyTransactionsPerClient: values.SPONSOR_DAILY_TX_PER_CLIENT,
  }
}

function signInOrigins(values: SettingValues): string[] {
  const { BASE_URL: baseUrl, HOST: host, PORT: port } = values
  // With PORT 0 the port is not known yet.
  const own = URL.parse(baseUrl ?? (port === 0 ? 'http://localhost' : `http://${host}:${port}`))
  const pages = values.SIGN_IN_ORIGINS ?? values.CORS_ORIGINS.filter((each) => each !== '*')
  return [...new Set([own?.origin ?? 'http://localhost', ...pages])]
}

/** Why this may be more than a development machine: reachable, or in production. Or null. */
function notDevelopment(host: string, nodeEnv: string | undefined): string | null {
  if (!isLoopbackHost(host.toLowerCase())) return `HOST is ${host}`
  return /^prod/i.test(nodeEnv?.trim() ?? '') ? `NODE_ENV is ${nodeEnv}` : null
}

/** What to do now, with `$` in place of the given value. Then the values that asked for it. */
type Removed = readonly [instead: string, ...harmless: string[]]

const fixedAt = (value: number): Removed => [`it is always ${value}`, String(value)]

/** Settings of earlier builds. */
const REMOVED: Readonly<Record<string, Removed>> = {
  API_PROCESSES: ['run several gateways behind a load balancer, see docs/guides/scale.md', '1'],
  RESPONSE_CACHE_BYTES: ['responses are not cached any more', '0'],
  SEARCH_INDEX_BYTES: ['names count in REGISTRY_BYTES'],
  MAX_DATABASE_QUEUE: ['the time that requests wait for the database is the limit'],
  LOAD_SHEDDING: ['set MAX_REQUESTS_IN_FLIGHT=0 to queue every request', 'true', 'on'],
  DATABASE_WAIT_MS: fixedAt(DATABASE_WAIT_MS),
  INDEXER_VERIFY_MS: [
    `the interval is twice INDEXER_POLL_MS, at most ${MAX_VERIFY_MS}`,
    String(MAX_VERIFY_MS),
  ],
  INDEXER_FETCH_AHEAD: fixedAt(INDEXER_FETCH_AHEAD),
  LOCALNET_SLOT_MS: fixedAt(LOCALNET_SLOT_MS),
  LOCALNET_FINALITY_SLOTS: fixedAt(LOCALNET_FINALITY_SLOTS),
  RELAY_SUBMIT_WAIT_MS: fixedAt(SUBMIT_WAIT_MS),
  ...Object.fromEntries(
    Object.entries(RATE_LIMIT_KINDS).map(([kind, { perMinute }]): [string, Removed] => [
      `RATE_LIMIT_${kind.replace(/[A-Z]/g, '_$&').toUpperCase()}`,
      [`add ${kind}=$ to RATE_LIMITS`, String(perMinute)],
    ]),
  ),
}

/** Whether a removed setting had a stricter limit than the one of now. It stops the start. */
const isStricter = (name: string, value: string): boolean =>
  name.startsWith('RATE_LIMIT_') && value !== '' && Number(value) < Number(REMOVED[name]?.[1])

const insteadOf = ([instead]: Removed, value: string): string => instead.replace('$', () => value)

/** One problem for each removed setting whose limit would otherwise become looser. */
function removedLimits(env: Record<string, string | undefined>): string[] {
  return Object.entries(REMOVED).flatMap(([name, removed]) => {
    const value = env[name]?.trim() ?? ''
    return isStricter(name, value) ? [`${name} is not a setting any more: ${insteadOf(removed, value)}`] : []
  })
}

/** One warning for each variable that is almost a setting (SEED_AGENT), or was one. */
export function misspelledSettings(env: Record<string, string | undefined>): string[] {
  return Object.entries(env).flatMap(([given, text = '']) => {
    if (given in SETTINGS) return []
    const [value, removed] = [text.trim(), REMOVED[given]]
    if (removed !== undefined)
      return value === '' || removed.includes(value, 1) || isStricter(given, value)
        ? []
        : [`${given} is not a setting any more and is ignored: ${insteadOf(removed, value)}`]
    const meant = Object.keys(SETTINGS).find((name) => isSimilar(given, name))
    return meant === undefined ? [] : [`${given} is not a setting and is ignored; did you mean ${meant}?`]
  })
}

const MAX_DISTANCE = 2
const SHORT_NAME = 8

function isSimilar(given: string, name: string): boolean {
  // SOLANA_RPC, but not SOLANA or HOST_NAME: single words and longer names belong to other
  // programs.
  if (given.includes('_') && name.startsWith(`${given}_`)) return true
  const allowed = name.length < SHORT_NAME ? 1 : MAX_DISTANCE
  return Math.abs(given.length - name.length) <= allowed && editDistance(given, name) <= allowed
}

/** The host names of the service. Null behind a proxy if BASE_URL does not say the public name. */
export function hostNamesOf(
  server: Pick<Config['server'], 'host' | 'baseUrl' | 'trustProxy'>,
): readonly string[] | null {
  const { host, baseUrl, trustProxy } = server
  const own = host.toLowerCase()
  if (baseUrl !== null) return [own, new URL(baseUrl).hostname]
  return trustProxy.length > 0 ? null : [own]
}
