import type { Kysely } from 'kysely'
import { pubkey } from '@agent-registry/solana'
import { type Idl, idlOf } from '@agent-registry/program'
import { type AgentReads, createAgentReads } from './agents/agent-reads.ts'
import { type CardReads, createCardReads } from './identity/agent-cards/card-reads.ts'
import { createRegistryReads, type RegistryReads } from './agents/registry-reads.ts'
import type { Clock } from './platform/clock.ts'
import type { Database } from './db/database.ts'
import { createDatabaseProbe } from './db/database-probe.ts'
import type { EntityManager } from './db/orm-types.ts'
import type { Credentials } from './identity/credentials/attached/credentials.ts'
import { createDidResolver, type DidResolver } from './identity/did-document.ts'
import { createSessions, type Sessions } from './identity/sessions/sessions.ts'
import type { SignInOrigins } from './identity/sessions/sign-in.ts'
import { createWalletAuth, type WalletAuth } from './identity/wallet-auth.ts'
import { createLedgerState, type LedgerState } from './transactions/ledger-state.ts'
import {
  createRegistryTransactions,
  type RegistryTransactions,
} from './transactions/registry-transactions.ts'
import { createWallets, type FundWallet, type Wallets } from './transactions/wallets.ts'
import { type Admission, admitAll } from './platform/overload/admission.ts'
import type { LiveEvents } from './live-events/live-events.ts'
import { createRecentEvents, type RecentEvents } from './live-events/recent-events.ts'
import { databaseReader, type RegistryReader } from './registry/registry.ts'
import { createHealthService, type HealthService } from './health/health-service.ts'
import type { FeePayerStatus, ServiceIdentity } from './health/info.ts'
import type { Transactions } from './transactions/transactions.ts'
import type { Roles } from './health/roles.ts'
import { createLedgerProbe, createRegistryProbe } from './ledger/rpc/ledger-probe.ts'
import { createRateLimitCounter } from './db/rate-limit-counter.ts'
import {
  createRateLimits,
  type RateLimitNumbers,
  type RateLimits,
} from './platform/rate-limits/rate-limits.ts'
import { createStakeReads, type StakeReads } from './stakes/stake-reads.ts'
import { createWebhookService, type WebhookService, type WebhookServiceOptions } from './webhooks/webhooks.ts'
import type { LedgerCalls } from './ledger/rpc/ledger-rpc.ts'
import { createFilledTables, whenFilled } from './ledger/indexer/filled-tables.ts'
import type { IndexerHealth } from './ledger/indexer/health.ts'

/** The services that REST, GraphQL and MCP call. They contain all checks. */
export interface Services {
  readonly agents: AgentReads
  readonly stakes: StakeReads
  readonly registry: RegistryReads
  readonly cards: CardReads
  readonly dids: DidResolver
  readonly credentials: Credentials
  readonly transactions: Transactions
  readonly registryTransactions: RegistryTransactions
  readonly wallets: Wallets
  readonly ledger: LedgerState
  readonly walletAuth: WalletAuth
  readonly sessions: Sessions
  readonly webhooks: WebhookService
  readonly liveEvents: LiveEvents
  readonly recentEvents: RecentEvents
  readonly info: HealthService
  /** The Anchor IDL of the configured program. */
  readonly idl: Idl
  readonly rateLimits: RateLimits
  readonly admission: Admission
}

export interface ServiceDependencies {
  readonly em: EntityManager
  /** For single statements, without transactions: `openReads`. */
  readonly reads: Kysely<Database>
  /** For agents and stakes. Without it, PostgreSQL reads them. */
  readonly registry?: RegistryReader
  readonly rpc: LedgerCalls
  readonly transactions: Transactions
  readonly credentials: (agents: AgentReads) => Credentials
  readonly liveEvents: LiveEvents
  readonly clock: Clock
  readonly identity: ServiceIdentity
  readonly webhooks: Omit<WebhookServiceOptions, 'em' | 'clock' | 'sendLimit'>
  readonly signInOrigins: SignInOrigins
  /** Null switches rate limits off. */
  readonly rateLimits: RateLimitNumbers | null
  /** All are admitted without. */
  readonly admission?: Admission
  readonly indexerStatus: () => Promise<IndexerHealth>
  readonly feePayer: FeePayerStatus | null
  readonly roles: Roles
  /** How long the result of a health check is shared, in ms. 1,000 by default. */
  readonly healthSharedMs?: number
  /** Given if this process runs a localnet. */
  readonly fundWallet?: FundWallet | null
}

export function createServices(dependencies: ServiceDependencies): Services {
  const { em, reads, rpc, clock } = dependencies
  const kysely = em.getKysely()
  const tables = createFilledTables(kysely)
  const info = createHealthService({
    ...dependencies,
    kysely,
    ledger: createLedgerProbe(rpc, clock),
    registry: createRegistryProbe(rpc, pubkey(dependencies.identity.program), clock),
    databaseAnswers: createDatabaseProbe(em),
    sharedMs: dependencies.healthSharedMs,
  })
  const sessions = createSessions({
    kysely,
    clock,
    origins: dependencies.signInOrigins,
    genesisHash: () => info.genesisHash(),
  })
  const { registry = databaseReader } = dependencies
  const agents = createAgentReads(reads, { registry })
  return {
    agents: whenFilled(agents, tables),
    stakes: whenFilled(createStakeReads(reads, registry), tables),
    registry: whenFilled(createRegistryReads(reads, registry), tables),
    cards: whenFilled(createCardReads(reads), tables),
    dids: whenFilled(createDidResolver(agents, dependencies.identity.program), tables),
    credentials: whenFilled(dependencies.credentials(agents), tables),
    transactions: dependencies.transactions,
    registryTransactions: createRegistryTransactions({
      kysely,
      transactions: dependencies.transactions,
      program: pubkey(dependencies.identity.program),
    }),
    wallets: createWallets({ kysely, rpc, fund: dependencies.fundWallet ?? null }),
    ledger: createLedgerState(rpc, clock),
    liveEvents: dependencies.liveEvents,
    recentEvents: whenFilled(createRecentEvents(reads), tables),
    sessions,
    walletAuth: createWalletAuth({ kysely, clock, sessions }),
    webhooks: createWebhookService({
      em,
      clock,
      sendLimit: dependencies.rateLimits?.sends ?? null,
      ...dependencies.webhooks,
    }),
    admission: dependencies.admission ?? admitAll,
    rateLimits: createRateLimits({
      sharedCounter: createRateLimitCounter(kysely),
      clock,
      limits: dependencies.rateLimits,
    }),
    idl: idlOf(pubkey(dependencies.identity.program)),
    info,
  }
}
