import { randomBytes } from 'node:crypto'
import type { Keypair } from '@solana/web3.js'
import { createIdentity, type Identity } from '../identity/identity.ts'
import { readIndexerHealth } from '../ledger/indexer/health.ts'
import type { Indexer } from '../ledger/indexer/indexer.ts'
import { poolQueue } from '../db/pool-queue.ts'
import { openReads, openRowReads } from '../db/reads.ts'
import { admitAll, createAdmission } from '../platform/overload/admission.ts'
import { createLiveEvents } from '../live-events/live-events.ts'
import { connectionOptions } from '../db/session.ts'
import { createGuardedHttp, type GuardedHttp } from '../platform/net/guarded-http.ts'
import { createNetMetrics } from '../platform/net/connector.ts'
import type { FundWallet } from '../transactions/wallets.ts'
import { startRegistry } from '../registry/registry.ts'
import { type Roles, rolesOf } from '../health/roles.ts'
import { createServices, type Services } from '../services.ts'
import { createLocalSigner } from '../platform/keys.ts'
import { createTransactions, type Transactions } from '../transactions/transactions.ts'
import { createSecretBox, type SecretBox } from '../webhooks/secret-box.ts'
import { receiverProblemOf } from '../webhooks/subscription-input.ts'
import type { GatewayContext } from './context.ts'
import packageJson from '../../package.json' with { type: 'json' }

export interface ServiceParts {
  readonly services: Services
  readonly transactions: Transactions
  readonly identity: Identity
  /** For webhooks. */
  readonly http: GuardedHttp
  /** Workers are added when they start. */
  readonly roles: Roles
}

/** Creates the services, and the parts that services and workers share. Starts nothing. */
export async function composeServices(
  { config, orm, kysely, rpc, clock, logger, metrics, stack }: GatewayContext,
  {
    indexer,
    feePayerKey,
    secretBox,
    ipfsGateway,
    fundWallet,
  }: {
    indexer: Indexer | null
    feePayerKey: Keypair | null
    secretBox: SecretBox | null
    /** Used if IPFS_GATEWAY is not set. */
    ipfsGateway: string | null
    fundWallet: FundWallet | null
  },
): Promise<ServiceParts> {
  const signer = feePayerKey === null ? null : createLocalSigner(feePayerKey)
  if (config.sponsorship.enabled && signer === null && config.roles.has('api')) {
    logger.warn('sponsorship is off: set FEE_PAYER_KEYPAIR to a funded key')
  }
  const transactions = createTransactions({
    em: orm.em,
    rpc,
    clock,
    registryProgram: config.ledger.programId,
    allowedPrograms: config.relay.allowedPrograms,
    submitWaitMs: config.relay.submitWaitMs,
    logger,
    metrics,
    sponsor: config.sponsorship.enabled && signer !== null ? { signer, limits: config.sponsorship } : null,
  })
  const feePayer = signer && { pubkey: signer.pubkey, enabled: () => transactions.isSponsorshipOn() }
  const httpOptions = { ...config.webhooks, metrics: createNetMetrics(metrics) }
  const http = createGuardedHttp(httpOptions)
  stack.defer(() => http.close())
  // With sockets of their own, slow documents of an origin do not delay its webhooks.
  const documents = createGuardedHttp(httpOptions)
  stack.defer(() => documents.close())
  const identity = createIdentity({
    em: orm.em,
    clock,
    http: documents,
    gateways: { ...config.gateways, ipfs: config.gateways.ipfs ?? ipfsGateway },
    contextsDir: config.credentialContextsDir,
    logger,
    metrics,
  })
  stack.defer(() => identity.close())
  const liveEvents = createLiveEvents({
    orm,
    watchTransaction: transactions.watch,
    logger,
    metrics,
  })
  stack.defer(() => liveEvents.close())
  const registry =
    config.roles.has('api') && config.server.registryBytes > 0
      ? startRegistry({
          query: await openRowReads(orm),
          connection: await connectionOptions(orm),
          maxBytes: config.server.registryBytes,
          logger,
          metrics,
        })
      : undefined
  stack.defer(() => registry?.stop())
  const roles = rolesOf(config.roles)
  const services = createServices({
    em: orm.em,
    reads: await openReads(orm),
    registry,
    rpc,
    transactions,
    credentials: identity.credentials,
    liveEvents,
    clock,
    identity: {
      name: 'Agent Registry Gateway',
      version: packageJson.version,
      program: config.ledger.programId,
      features: { did: true, mcp: true, a2a: true, credentials: true },
    },
    webhooks: {
      // Without a configured key, no role of this process encrypts or decrypts a secret.
      secretBox: secretBox ?? createSecretBox([randomBytes(32)]),
      receiverProblem: receiverProblemOf(http),
      dailyPerNetwork: config.webhooks.dailyPerNetwork,
    },
    signInOrigins: config.signIn,
    rateLimits: config.rateLimits,
    admission:
      config.overload === null
        ? admitAll
        : createAdmission({ queue: await poolQueue(orm), clock, limits: config.overload, metrics }),
    indexerStatus: () => readIndexerHealth(indexer, kysely),
    feePayer,
    roles,
    fundWallet,
  })
  return { services, transactions, identity, http, roles }
}
