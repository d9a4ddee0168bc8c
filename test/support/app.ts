import { readFileSync } from 'node:fs'
import type { Writable } from 'node:stream'
import { Keypair } from '@solana/web3.js'
import type { Kysely } from 'kysely'
import { pino } from 'pino'
import { type Localnet, startLocalnet } from '@agent-registry/localnet'
import { PROGRAM_FILE } from '@agent-registry/program'
import { type Pubkey, SYSTEM_PROGRAM } from '@agent-registry/solana'
import type { ConnectionLimits } from '../../rest/plugins/connections.ts'
import type { Operation } from '../../rest/documents/documents.ts'
import type { Executor } from '../../rest/execute.ts'
import { type AppOptions, buildApp } from '../../rest/app.ts'
import type { Clock } from '../../src/platform/clock.ts'
import type { Database } from '../../src/db/database.ts'
import { openReads } from '../../src/db/reads.ts'
import type { TransactionsOptions } from '../../src/transactions/context.ts'
import { createTransactions, type Transactions } from '../../src/transactions/transactions.ts'
import { createIdentity, type Identity, type IdentityOptions } from '../../src/identity/identity.ts'
import type { SignInOrigins } from '../../src/identity/sessions/sign-in.ts'
import { createLedgerRpc, type LedgerCalls } from '../../src/ledger/rpc/ledger-rpc.ts'
import { createLiveEvents } from '../../src/live-events/live-events.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { createMetrics, type Metrics } from '../../src/platform/metrics/metrics.ts'
import { poolQueue } from '../../src/db/pool-queue.ts'
import { type AdmissionLimits, createAdmission } from '../../src/platform/overload/admission.ts'
import type { ConnectionCounts } from '../../src/platform/overload/connection-limit.ts'
import { createGuardedHttp } from '../../src/platform/net/guarded-http.ts'
import { RATE_LIMIT_KINDS, type RateLimitNumbers } from '../../src/platform/rate-limits/rate-limits.ts'
import type { RegistryReader } from '../../src/registry/registry.ts'
import { type Roles, rolesOf } from '../../src/health/roles.ts'
import type { FeePayerStatus } from '../../src/health/info.ts'
import { createServices, type Services } from '../../src/services.ts'
import { createSecretBox, type SecretBox } from '../../src/webhooks/secret-box.ts'
import { receiverProblemOf } from '../../src/webhooks/subscription-input.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { keyOf } from './factories.ts'
import { createTestRegistry } from './registry.ts'
import { registryAccounts } from './registry-accounts.ts'
import type { RestApp } from '../../rest/rest-app.ts'
import type { IndexerHealth } from '../../src/ledger/indexer/health.ts'

export const FIXED_NOW = Date.parse('2026-11-21T06:29:22.123Z')
export const FEE_PAYER = keyOf('fee payer')
export const PROGRAM = keyOf('program')

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

/** The dependencies and settings of a test app. Each has a default. */
export interface TestAppOptions {
  /** Default: a localnet in memory. */
  ledger: LedgerCalls
  /** The balance of the fee payer on that localnet. */
  feePayerLamports: bigint
  indexer: () => Promise<IndexerHealth>
  clock: Clock
  /** Default: api and indexer. */
  roles: Roles
  /** Default: 0, each health check has a result of its own. */
  healthSharedMs: number
  /** The fee payer in the health reports, if there is no `transactions.sponsor`. */
  feePayer: { pubkey: string; enabled: boolean } | null
  executor: Executor
  /** Default: none. */
  operatorDocuments: readonly Operation[]
  connectionLimits: ConnectionLimits
  /** Default: none. */
  trustProxy: string[]
  /** Where the log is written. Default: nowhere. */
  log: Writable
  /** Sponsorship is off without a `sponsor`. */
  transactions: Partial<TransactionsOptions>
  /** The address of the registry program. */
  program: Pubkey
  /** Default: an HTTP client for which no host has an address. */
  hosted: Pick<IdentityOptions, 'http' | 'gateways'>
  /** Default: true. False for tests whose indexer fills the tables. */
  tablesFilled: boolean
  /** Default: a new database. Give one for several apps on one database. */
  database: TestDatabase
  /** Whether receivers may use http and loopback addresses. */
  webhookDevMode: boolean
  /** Default: 1,000. */
  webhooksPerNetwork: number
  /** Default: those of the service. */
  streamLimits: ConnectionCounts
  /** Default: the default base URL. */
  signInOrigins: SignInOrigins
  /** Default: off. If some are given, 1,000 for the others. */
  rateLimits: Partial<RateLimitNumbers>
  /** Default: all requests are accepted. */
  overload: AdmissionLimits
  /** Default: all. */
  corsOrigins: readonly string[]
  /** As in `AppOptions`. */
  baseUrl: string
  hostNames: readonly string[] | null
  /** Whether the schema has the fields of a localnet. Default: false. */
  hasLocalnet: boolean
  /** Serves the web console. Default: false. */
  console: AppOptions['console']
  /** Default: 64 MiB, the default of the setting. */
  /** Default: one in memory, or `databaseReader` if TEST_REGISTRY=database. */
  registry: RegistryReader
}

export const SPONSOR_LIMITS = {
  dailyBudget: 1_000_000_000n,
  minBalance: 50_000_000n,
  dailyRegistrationsPerClient: 5,
  dailyTransactionsPerWallet: 20,
  dailyTransactionsPerClient: 100,
}

function feePayerStatus(
  given: TestAppOptions['feePayer'] | undefined,
  transactions: Transactions,
): FeePayerStatus | null {
  if (transactions.feePayer !== null)
    return { pubkey: transactions.feePayer, enabled: () => transactions.isSponsorshipOn() }
  if (given === null) return null
  const { pubkey, enabled } = given ?? { pubkey: FEE_PAYER, enabled: true }
  return { pubkey, enabled: async () => enabled }
}

export interface TestApp {
  readonly app: RestApp
  readonly services: Services
  readonly identity: Identity
  readonly transactions: Transactions
  readonly database: TestDatabase
  readonly kysely: Kysely<Database>
  readonly rpc: LedgerCalls
  /** Null until the first call of the ledger. Only `stepSlot` advances its slots. */
  readonly localnet: Localnet | null
  readonly metrics: Metrics
  /** Encrypts the secrets of this app's webhooks. */
  readonly secretBox: SecretBox
  close(): Promise<void>
}

export async function createTestApp(options: Partial<TestAppOptions> = {}): Promise<TestApp> {
  const database = options.database ?? (await createTestDatabase())
  const kysely = database.orm.em.getKysely()
  if (options.tablesFilled ?? true) await markTablesFilled(kysely)
  const localnet = lazyLocalnet(options.feePayerLamports ?? 2_500_000_000n)
  const rpc = options.ledger ?? localnet.rpc
  const metrics = createMetrics()
  const clock = options.clock ?? { now: () => FIXED_NOW }
  const transactions = createTransactions({
    em: database.orm.em,
    rpc,
    clock,
    registryProgram: PROGRAM,
    allowedPrograms: null,
    submitWaitMs: 5_000,
    logger: pino({ level: 'silent' }),
    metrics,
    sponsor: null,
    ...options.transactions,
  })
  const http = createGuardedHttp({ devMode: false, allowedPorts: [443], lookup: async () => [] })
  const identity = createIdentity({
    em: database.orm.em,
    clock,
    ...(options.hosted ?? { http, gateways: { ipfs: null, arweave: null } }),
    metrics,
    contextsDir: null,
    logger: pino({ level: 'silent' }),
  })
  const secretBox = createSecretBox([Buffer.alloc(32, 7)])
  const webhookHttp = createGuardedHttp({
    devMode: options.webhookDevMode ?? false,
    allowedPorts: [443, 8443],
  })
  const liveEvents = createLiveEvents({
    orm: database.orm,
    watchTransaction: transactions.watch,
    logger: pino({ level: 'silent' }),
    metrics,
    streamLimits: options.streamLimits,
  })
  const own =
    options.registry === undefined && process.env.TEST_REGISTRY !== 'database'
      ? await createTestRegistry(database)
      : undefined
  const services = createServices({
    em: database.orm.em,
    reads: await openReads(database.orm),
    registry: options.registry ?? own,
    rpc,
    transactions,
    credentials: identity.credentials,
    liveEvents,
    clock,
    identity: {
      name: 'Agent Registry Gateway',
      version: '0.1.0',
      program: options.program ?? PROGRAM,
      features: { did: true, mcp: false, a2a: true, credentials: true },
    },
    webhooks: {
      secretBox,
      receiverProblem: receiverProblemOf(webhookHttp),
      dailyPerNetwork: options.webhooksPerNetwork ?? 1_000,
    },
    signInOrigins: options.signInOrigins ?? { origins: ['http://127.0.0.1:3000'], anyLoopback: false },
    rateLimits: options.rateLimits ? rateLimitsOf(options.rateLimits) : null,
    admission:
      options.overload &&
      createAdmission({
        queue: await poolQueue(database.orm),
        clock,
        limits: options.overload,
        metrics,
      }),
    roles: options.roles ?? rolesOf(['api', 'indexer']),
    indexerStatus: options.indexer ?? (async () => LIVE),
    feePayer: feePayerStatus(options.feePayer, transactions),
    healthSharedMs: options.healthSharedMs ?? 0,
  })
  const app = await buildApp({
    services,
    metrics,
    logger: options.log === undefined ? pino({ level: 'silent' }) : pino({ level: 'info' }, options.log),
    version: '0.1.0',
    baseUrl: options.baseUrl ?? 'http://127.0.0.1:3000',
    corsOrigins: options.corsOrigins ?? ['*'],
    hostNames: options.hostNames,
    executor: options.executor,
    operatorDocuments: options.operatorDocuments,
    connectionLimits: options.connectionLimits,
    trustProxy: options.trustProxy,
    hasLocalnet: options.hasLocalnet,
    console: options.console,
  })
  // From now on, reads do not check the tables any more, so tests can count statements.
  if (options.tablesFilled ?? true) await services.agents.find([])
  const close = async (): Promise<void> => {
    await app.close()
    await own?.stop()
    await liveEvents.close()
    await identity.close()
    await http.close()
    await localnet.close()
    await webhookHttp.close()
    if (options.database === undefined) await database.drop()
  }
  return {
    app,
    services,
    transactions,
    identity,
    secretBox,
    database,
    kysely,
    rpc,
    get localnet() {
      return localnet.started
    },
    metrics,
    close,
  }
}

const rateLimitsOf = (given: Partial<RateLimitNumbers>): RateLimitNumbers => ({
  ...(Object.fromEntries(Object.keys(RATE_LIMIT_KINDS).map((kind) => [kind, 1_000])) as RateLimitNumbers),
  ...given,
})

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
      programs: [{ programId: PROGRAM, elf, upgradeAuthority: keyOf('admin') }],
      accounts: new Map([[FEE_PAYER, feePayer], config]),
    },
  })
  localnet.stepSlot(10)
  return localnet
}
