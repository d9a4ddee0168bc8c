import { readFileSync } from 'node:fs'
import type { Writable } from 'node:stream'
import { Keypair } from '@solana/web3.js'
import type { Kysely } from 'kysely'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { type Localnet, startLocalnet } from '@agent-registry/localnet'
import { PROGRAM_FILE } from '@agent-registry/program'
import { type Pubkey, SYSTEM_PROGRAM } from '@agent-registry/solana'
import { type AppOptions, buildApp } from '../../rest/app.ts'
import {
  composeServices,
  composeTransactions,
  type GatewayContext,
  type Overrides,
} from '../../src/compose/services.ts'
import type { Database } from '../../src/db/database.ts'
import type { IdentityOptions } from '../../src/identity/identity.ts'
import type { SignInOrigins } from '../../src/identity/sessions/sign-in.ts'
import type { IndexerHealth } from '../../src/ledger/indexer/health.ts'
import { createLedgerRpc, type LedgerCalls } from '../../src/ledger/rpc/ledger-rpc.ts'
import type { Clock } from '../../src/platform/clock.ts'
import { type Config, readConfig } from '../../src/platform/config/config.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { createMetrics } from '../../src/platform/metrics/metrics.ts'
import { createGuardedHttp } from '../../src/platform/net/guarded-http.ts'
import { RATE_LIMIT_KINDS, type RateLimitNumbers } from '../../src/platform/rate-limits/rate-limits.ts'
import type { TransactionsOptions } from '../../src/transactions/context.ts'
import { createSecretBox } from '../../src/webhooks/secret-box.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { keyOf } from './factories.ts'
import { registryAccounts } from './registry-accounts.ts'
import { untilInMemory } from './registry.ts'
import { perFile } from './lifetime.ts'

export const FIXED_NOW = Date.parse('2026-11-21T06:29:22.123Z')
export const FEE_PAYER = keyOf('fee payer')
export const PROGRAM = keyOf('program')
/** For tests that must not use the ledger. */
export const NO_LEDGER: LedgerCalls = { call: () => Promise.reject(new Error('no test uses the ledger')) }
/** A node that answers with the hash of its genesis block only, which a login contains. */
export const GENESIS_LEDGER: LedgerCalls = { call: async <Result>() => 'genesis' as Result }

/** The health of an indexer that works. */
export const LIVE: IndexerHealth = {
  phase: 'live',
  cursorSlot: 990,
  finalizedSlot: 960,
  lagSlots: 10,
  lagSeconds: 0.4,
  deadLetters: 0,
  ready: true,
  isEmpty: false,
  hasLeader: true,
  healthy: true,
}

/** Settings and overrides of a test app. Each has a default. */
export interface TestAppOptions
  extends
    Pick<Overrides, 'registry' | 'roles' | 'overload' | 'healthSharedMs'>,
    Pick<
      AppOptions,
      'executor' | 'operatorDocuments' | 'connectionLimits' | 'hostNames' | 'hasLocalnet' | 'console'
    > {
  /** Default: a localnet in memory. */
  ledger: LedgerCalls
  /** Whether it listens on loopback, at its `url`. Default: false. */
  listens: boolean
  /** The balance of the fee payer on that localnet. */
  feePayerLamports: bigint
  indexer: () => Promise<IndexerHealth>
  clock: Clock
  /** The fee payer in the health reports, if there is no `transactions.sponsor`. */
  feePayer: { pubkey: string; enabled: boolean } | null
  trustProxy: string[]
  /** Where the log is written. Default: nowhere. */
  log: Writable
  /** Sponsorship is off without a `sponsor`. */
  transactions: Partial<TransactionsOptions>
  program: Pubkey
  /** Default: an HTTP client for which no host has an address. */
  hosted: Pick<IdentityOptions, 'http' | 'gateways'>
  /** Default: true. False for tests whose indexer fills the tables. */
  tablesFilled: boolean
  /** Default: a new database. Give one for several apps on one database. */
  database: TestDatabase
  /** Whether receivers may use http and loopback addresses. */
  webhookDevMode: boolean
  webhooksPerNetwork: number
  /** Default: those of the service. */
  streamLimits: NonNullable<Overrides['streams']>
  /** Default: the default base URL. */
  signInOrigins: SignInOrigins
  /** Default: off. If some are given, 1,000 for the others. */
  rateLimits: Partial<RateLimitNumbers>
  corsOrigins: readonly string[]
  /** Default: nobody is an operator. */
  operatorToken: string
  baseUrl: string
}

export const SPONSOR_LIMITS = {
  dailyBudget: 1_000_000_000n,
  minBalance: 50_000_000n,
  dailyRegistrationsPerClient: 5,
  dailyTransactionsPerWallet: 20,
  dailyTransactionsPerClient: 100,
}

const USUAL = readConfig({
  SOLANA_RPC_URL: 'https://rpc.example.org',
  DATABASE_URL: 'postgres://unused.example.org/unused',
  SPONSORSHIP_ENABLED: 'false',
  MAX_REQUESTS_IN_FLIGHT: '0',
  RATE_LIMITS: 'false',
  ROLES: 'api,indexer',
  REGISTRY_BYTES: process.env.TEST_REGISTRY === 'database' ? '0' : String(2 ** 30),
}).config

function settingsOf(options: Partial<TestAppOptions>): Config {
  const { hosted, rateLimits, signInOrigins } = options
  return {
    ...USUAL,
    ledger: { ...USUAL.ledger, programId: options.program ?? PROGRAM },
    server: {
      ...USUAL.server,
      baseUrl: options.baseUrl ?? 'http://127.0.0.1:3000',
      corsOrigins: [...(options.corsOrigins ?? ['*'])],
      trustProxy: options.trustProxy ?? [],
    },
    gateways: { ...USUAL.gateways, ...hosted?.gateways },
    relay: { ...USUAL.relay, submitWaitMs: 5_000 },
    webhooks: {
      devMode: options.webhookDevMode ?? false,
      allowedPorts: [443, 8443],
      dailyPerNetwork: options.webhooksPerNetwork ?? 1_000,
    },
    signIn: {
      origins: [...(signInOrigins?.origins ?? ['http://127.0.0.1:3000'])],
      anyLoopback: signInOrigins?.anyLoopback ?? false,
    },
    rateLimits: rateLimits === undefined ? null : { ...everyRateLimit(1_000), ...rateLimits },
  }
}

/** The gateway with the composition of the server, on a database and a ledger of its own. */
export async function createTestApp(options: Partial<TestAppOptions> = {}) {
  const { tablesFilled = true, feePayer = { pubkey: FEE_PAYER, enabled: true } } = options
  const stack = new AsyncDisposableStack()
  const database = options.database ?? stack.adopt(await createTestDatabase(), (each) => each.drop())
  const kysely = database.orm.em.getKysely()
  if (tablesFilled) await markTablesFilled(kysely)
  const localnet = lazyLocalnet(options.feePayerLamports ?? 2_500_000_000n)
  stack.defer(() => localnet.close())
  const context: GatewayContext = {
    config: settingsOf(options),
    orm: database.orm,
    rpc: options.ledger ?? localnet.rpc,
    clock: options.clock ?? { now: () => FIXED_NOW },
    logger: options.log === undefined ? pino({ level: 'silent' }) : pino({ level: 'info' }, options.log),
    metrics: createMetrics(),
    stack,
  }
  const nowhere = () =>
    stack.adopt(createGuardedHttp({ devMode: false, allowedPorts: [443], lookup: async () => [] }), (each) =>
      each.close(),
    )
  const secretBox = createSecretBox([Buffer.alloc(32, 7)])
  const { roles, registry, overload, healthSharedMs = 0 } = options
  const parts = await composeServices(context, {
    secretBox,
    operatorToken: options.operatorToken,
    overrides: {
      roles,
      registry,
      overload,
      healthSharedMs,
      transactions: options.transactions,
      documents: options.hosted?.http ?? nowhere(),
      streams: options.streamLimits,
      indexerStatus: options.indexer ?? (async () => LIVE),
      feePayer: feePayer && { pubkey: feePayer.pubkey, enabled: async () => feePayer.enabled },
    },
  })
  if (parts.registry !== null) await untilInMemory(parts.registry)
  const app = await buildApp(context, parts.services, { console: false, ...options })
  stack.defer(() => app.close())
  // From now on, reads do not check the tables any more, so tests can count statements.
  if (tablesFilled) await parts.services.agents.find([])
  const url = options.listens === true ? await app.listen({ port: 0, host: '127.0.0.1' }) : ''
  return {
    app,
    /** Empty unless it listens. */
    url,
    port: url === '' ? 0 : Number(new URL(url).port),
    /** Encrypts the secrets of this app's webhooks. */
    secretBox,
    database,
    kysely,
    services: parts.services,
    transactions: parts.transactions,
    identity: parts.identity,
    rpc: context.rpc,
    /** Null until the first call of the ledger. Only `stepSlot` advances its slots. */
    get localnet() {
      return localnet.started
    },
    metrics: context.metrics,
    /** The transactions of another replica on the same database. Its tracker is not started. */
    replica: (transactions?: Partial<TransactionsOptions>) =>
      composeTransactions({ ...context, metrics: createMetrics() }, { overrides: { transactions } }),
    close: () => stack.disposeAsync(),
  }
}
export type TestApp = Awaited<ReturnType<typeof createTestApp>>

/** The app of a test. It is closed when the test has ended. */
export async function createAppOfTest(options: Partial<TestAppOptions> = {}): Promise<TestApp> {
  const t = await createTestApp(options)
  onTestFinished(() => t.close())
  return t
}

/** The app of a test file. A function when its options depend on what an earlier hook creates. */
export const useTestApp = (
  options: Partial<TestAppOptions> | (() => Partial<TestAppOptions>) = {},
): TestApp => perFile(() => createTestApp(typeof options === 'function' ? options() : options))

/** The same number for each kind of requests. */
export const everyRateLimit = (limit: number) =>
  Object.fromEntries(Object.keys(RATE_LIMIT_KINDS).map((kind) => [kind, limit])) as RateLimitNumbers

/** As an indexer does when it has read the whole ledger. */
async function markTablesFilled(kysely: Kysely<Database>): Promise<void> {
  const row = { program_id: PROGRAM, genesis_hash: 'genesis', filled_at: new Date(FIXED_NOW).toISOString() }
  await kysely
    .insertInto('indexer_state')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ filled_at: row.filled_at }))
    .execute()
}

/** A localnet in memory that starts at the first call. Most tests never call it. */
function lazyLocalnet(feePayerLamports: bigint) {
  let starting: Promise<LedgerCalls> | undefined
  const lazy = {
    started: null as Localnet | null,
    rpc: {
      call: async (method, params) => (await (starting ??= start())).call(method, params),
    } satisfies LedgerCalls,
    close: async (): Promise<void> => {
      await starting
      await lazy.started?.close()
    },
  }
  async function start(): Promise<LedgerCalls> {
    lazy.started = await startAppLedger(feePayerLamports)
    return createLedgerRpc({ url: lazy.started.rpcUrl })
  }
  return lazy
}

/** A localnet in memory, ten slots old, on which the fee payer has this balance. */
async function startAppLedger(lamports: bigint): Promise<Localnet> {
  const feePayer = {
    lamports,
    owner: SYSTEM_PROGRAM,
    data: new Uint8Array(),
    executable: false,
    rentEpoch: 0n,
  }
  const [, config] = registryAccounts(PROGRAM)
  const elf = readFileSync(PROGRAM_FILE)
  const localnet = await startLocalnet({
    dataDir: null,
    slotMs: 0,
    logger: createLogger('fatal', false),
    genesis: {
      faucet: Keypair.generate(),
      programs: [{ programId: PROGRAM, elf, authority: keyOf('admin') }],
      accounts: new Map([[FEE_PAYER, feePayer], config]),
    },
  })
  localnet.stepSlot(10)
  return localnet
}
