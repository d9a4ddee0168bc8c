import { randomBytes } from 'node:crypto'
import type { Keypair } from '@solana/web3.js'
import { idlOf } from '@agent-registry/program'
import packageJson from '../../package.json' with { type: 'json' }
import { createDatabaseProbe, connectionOptions, openRowReads } from '../db/session.ts'
import type { Orm } from '../db/orm-types.ts'
import { poolQueue } from '../db/orm.ts'
import { createRateLimitCounter } from '../db/rate-limit-counter.ts'
import { createHealthService, LOCALNET_RECEIVER } from '../health/health-service.ts'
import { type FeePayerStatus, type Roles, rolesOf } from '../health/health.ts'
import { createCardReads } from '../identity/agent-cards/card-reads.ts'
import { createCardPublisher, type PublishDocument } from '../identity/agent-cards/publish-card.ts'
import { createDidResolver } from '../identity/did-document.ts'
import { createIdentity } from '../identity/identity.ts'
import { createSessions } from '../identity/sessions/sessions.ts'
import { createWalletAuth } from '../identity/wallet-auth.ts'
import { exampleEvent } from '../ledger/decode/webhook-events.ts'
import { createFilledTables, whenFilled } from '../ledger/indexer/filled-tables.ts'
import { type IndexerHealth, readIndexerHealth } from '../ledger/indexer/health.ts'
import type { Indexer } from '../ledger/indexer/indexer.ts'
import { filledFrom } from '../ledger/indexer/position.ts'
import { createLedgerProbe, createRegistryProbe } from '../ledger/rpc/ledger-probe.ts'
import type { LedgerCalls } from '../ledger/rpc/ledger-rpc.ts'
import type { Clock } from '../platform/clock.ts'
import type { Config } from '../platform/config/config.ts'
import { createLocalSigner } from '../platform/keys.ts'
import type { Logger } from '../platform/logger.ts'
import type { Metrics } from '../platform/metrics/metrics.ts'
import { createNetMetrics, type NetMetrics } from '../platform/net/connector.ts'
import { createGuardedHttp, type GuardedHttp } from '../platform/net/guarded-http.ts'
import {
  admitAll,
  type Admission,
  type AdmissionLimits,
  createAdmission,
} from '../platform/overload/admission.ts'
import type { ConnectionCounts } from '../platform/overload/connection-limit.ts'
import { createRateLimits } from '../platform/rate-limits/rate-limits.ts'
import { createAgentReads } from '../registry/agents/agent-reads.ts'
import { createRegistryReads } from '../registry/agents/registry-reads.ts'
import { databaseReader, type Registry, type RegistryReader, startRegistry } from '../registry/registry.ts'
import { createStakeReads } from '../registry/stake-reads.ts'
import type { TransactionsOptions } from '../transactions/context.ts'
import { createLedgerState } from '../transactions/ledger-state.ts'
import { createRegistryTransactions } from '../transactions/registry-transactions.ts'
import { createTransactions, type Transactions } from '../transactions/transactions.ts'
import { createWallets, type FundWallet } from '../transactions/wallets.ts'
import { createLiveEvents } from '../webhooks/live/live-events.ts'
import { createRecentEvents } from '../webhooks/live/recent-events.ts'
import { createSecretBox, type SecretBox } from '../webhooks/secret-box.ts'
import { WebhookService } from '../webhooks/webhooks.ts'
import { createOperators } from './operators.ts'
/** What every part of the gateway is built from. */
export interface GatewayContext {
  readonly config: Config
  readonly orm: Orm
  readonly rpc: LedgerCalls
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: Metrics
  /** Stop functions of everything that was started. They run in reverse order. */
  readonly stack: AsyncDisposableStack
}

/** Parts in place of those of the service, for tests and benchmarks. */
export interface Overrides {
  readonly transactions?: Partial<TransactionsOptions>
  /** Fetches agent cards, credentials and status lists. */
  readonly documents?: GuardedHttp
  readonly registry?: RegistryReader
  readonly streams?: ConnectionCounts
  readonly overload?: AdmissionLimits
  readonly indexerStatus?: () => Promise<IndexerHealth>
  /** In health reports, if the process has no key of a fee payer. */
  readonly feePayer?: FeePayerStatus | null
  readonly roles?: Roles
  /** How long the result of a health check is shared, in ms. */
  readonly healthSharedMs?: number
}

/** What the process has started before its services. */
interface StartedParts {
  /** Without it, nobody is an operator. */
  readonly operatorToken?: string | null
  readonly indexer?: Indexer | null
  readonly feePayerKey?: Keypair | null
  /** Without it, no role of the process encrypts or decrypts a secret. */
  readonly secretBox?: SecretBox | null
  /** Used if IPFS_GATEWAY is not set. */
  readonly ipfsGateway?: string | null
  readonly fundWallet?: FundWallet | null
  readonly publishDocument?: PublishDocument | null
  readonly overrides?: Overrides
}

/** The services that REST, GraphQL and MCP call. They contain all checks. */
export type Services = ServiceParts['services']
export type ServiceParts = Awaited<ReturnType<typeof composeServices>>

/**
 * Creates the services, and the parts that services and workers share. Starts no worker of a role.
 */
export async function composeServices(context: GatewayContext, started: StartedParts = {}) {
  const { config, orm, rpc, clock, logger, metrics, stack } = context
  const { overrides = {} } = started
  const { programId } = config.ledger
  const kysely = orm.em.getKysely()
  const tables = createFilledTables(kysely)
  const transactions = composeTransactions(context, started)
  const netMetrics = createNetMetrics(metrics)
  /** For webhooks. */
  const http = openHttp(context, netMetrics)
  // With sockets of their own, slow documents of an origin do not delay its webhooks.
  const documents = overrides.documents ?? openHttp(context, netMetrics)
  const identity = composeIdentity(context, documents, started.ipfsGateway ?? null)
  const liveEvents = createLiveEvents({ orm, logger, metrics, streamLimits: overrides.streams })
  stack.defer(() => liveEvents.close())
  /** The copy in memory. Null if PostgreSQL answers all reads. */
  const copy = overrides.registry === undefined ? await composeRegistry(context) : null
  const registry = overrides.registry ?? copy ?? databaseReader
  /** Workers are added when they start. */
  const roles = overrides.roles ?? rolesOf(config.roles)
  const agents = createAgentReads(kysely, { registry })
  const info = composeHealth(context, started, { transactions, roles })
  const genesisHash = () => info.genesisHash()
  const sessions = createSessions({ em: orm.em, clock, origins: config.signIn, genesisHash })
  const services = {
    agents: whenFilled(agents, tables),
    stakes: whenFilled(createStakeReads(kysely, registry), tables),
    registry: whenFilled(createRegistryReads(kysely, registry), tables),
    cardPublisher: createCardPublisher(started.publishDocument ?? null),
    newCards: identity.newCards,
    cards: whenFilled(createCardReads(kysely), tables),
    dids: whenFilled(createDidResolver(agents, programId), tables),
    credentials: whenFilled(identity.credentials(agents), tables),
    transactions,
    registryTransactions: createRegistryTransactions({ kysely, transactions, program: programId }),
    wallets: createWallets({ kysely, rpc, fund: started.fundWallet ?? null }),
    ledger: createLedgerState(rpc, clock),
    liveEvents,
    recentEvents: whenFilled(createRecentEvents(kysely, clock), tables),
    sessions,
    walletAuth: createWalletAuth({ kysely, clock, sessions }),
    webhooks: composeWebhooks(context, http, started.secretBox ?? null),
    admission: await composeAdmission(context, overrides),
    rateLimits: createRateLimits({
      sharedCounter: createRateLimitCounter(kysely),
      clock,
      limits: config.rateLimits,
    }),
    operators: createOperators({
      em: orm.em,
      clock,
      logger,
      limits: config.sponsorship,
      token: started.operatorToken ?? null,
    }),
    idl: idlOf(programId),
    info,
  }
  return { services, transactions, identity, http, registry: copy, roles }
}

/** The transactions of a process. Replicas of a gateway in one process share nothing else. */
export function composeTransactions(
  { config, orm, rpc, clock, logger, metrics }: GatewayContext,
  { feePayerKey = null, overrides = {} }: StartedParts = {},
): Transactions {
  const { sponsorship, roles } = config
  if (sponsorship.enabled && feePayerKey === null && roles.has('api'))
    logger.warn('sponsorship is off: set FEE_PAYER_KEYPAIR to a funded key')
  return createTransactions({
    em: orm.em,
    rpc,
    clock,
    registryProgram: config.ledger.programId,
    ...config.relay,
    logger,
    metrics,
    sponsor:
      sponsorship.enabled && feePayerKey !== null
        ? { signer: createLocalSigner(feePayerKey), limits: sponsorship }
        : null,
    ...overrides.transactions,
  })
}

function openHttp({ config, stack }: GatewayContext, metrics: NetMetrics): GuardedHttp {
  const http = createGuardedHttp({ ...config.webhooks, metrics })
  stack.defer(() => http.close())
  return http
}

function composeIdentity(
  { config, orm, clock, logger, metrics, stack }: GatewayContext,
  http: GuardedHttp,
  localIpfs: string | null,
) {
  const { ipfs, arweave } = config.gateways
  const identity = createIdentity({
    em: orm.em,
    clock,
    http,
    gateways: { ipfs: ipfs ?? localIpfs, arweave },
    contextsDir: config.credentialContextsDir,
    logger,
    metrics,
  })
  stack.defer(() => identity.close())
  return identity
}

function composeWebhooks(
  { config, orm, clock }: GatewayContext,
  http: GuardedHttp,
  secretBox: SecretBox | null,
): WebhookService {
  return new WebhookService({
    em: orm.em,
    clock,
    secretBox: secretBox ?? createSecretBox([randomBytes(32)]),
    http,
    dailyPerNetwork: config.webhooks.dailyPerNetwork,
    sendLimit: config.rateLimits?.sends ?? null,
    exampleOf: exampleEvent,
  })
}

async function composeRegistry({
  config,
  orm,
  logger,
  metrics,
  stack,
}: GatewayContext): Promise<Registry | null> {
  const { registryBytes: maxBytes } = config.server
  if (!config.roles.has('api') || maxBytes === 0) return null
  const [query, connection] = [await openRowReads(orm), await connectionOptions(orm)]
  const registry = startRegistry({ query, connection, maxBytes, logger, metrics })
  stack.defer(() => registry.stop())
  return registry
}

function composeHealth(
  { config, orm, rpc, clock }: GatewayContext,
  { indexer = null, feePayerKey = null, fundWallet = null, overrides = {} }: StartedParts,
  { transactions, roles }: { transactions: Transactions; roles: Roles },
) {
  const kysely = orm.em.getKysely()
  const { programId } = config.ledger
  const feePayer = feePayerKey?.publicKey.toBase58() ?? transactions.feePayer
  return createHealthService({
    clock,
    ledger: createLedgerProbe(rpc, clock),
    registry: createRegistryProbe(rpc, programId, clock),
    databaseAnswers: createDatabaseProbe(orm.em),
    indexerStatus: overrides.indexerStatus ?? (() => readIndexerHealth(indexer, kysely)),
    indexedGenesisHash: async () => (await filledFrom(kysely))?.genesis_hash ?? null,
    feePayer:
      feePayer === null
        ? (overrides.feePayer ?? null)
        : { pubkey: feePayer, enabled: () => transactions.isSponsorshipOn() },
    roles,
    identity: {
      name: 'Agent Registry Gateway',
      version: packageJson.version,
      program: programId,
      localnetReceiver: fundWallet !== null && config.webhooks.devMode ? LOCALNET_RECEIVER : null,
    },
    sharedMs: overrides.healthSharedMs,
  })
}

async function composeAdmission(
  { config, orm, clock, metrics }: GatewayContext,
  overrides: Overrides,
): Promise<Admission> {
  const limits = overrides.overload ?? config.overload
  if (limits === null) return admitAll
  return createAdmission({ queue: await poolQueue(orm), clock, limits, metrics })
}
