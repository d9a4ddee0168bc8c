import { randomBytes } from 'node:crypto'
import type { Keypair } from '@solana/web3.js'
import packageJson from '../../package.json' with { type: 'json' }
import { createIdentity, type Identity } from '../identity/identity.ts'
import { readIndexerHealth } from '../ledger/indexer/health.ts'
import type { Indexer } from '../ledger/indexer/indexer.ts'
import { poolQueue } from '../db/pool-queue.ts'
import { openReads, openRowReads } from '../db/reads.ts'
import { connectionOptions } from '../db/session.ts'
import { type SearchIndex, startSearchIndex } from '../agents/search-index/search-index.ts'
import { admitAll, createAdmission } from '../platform/overload/admission.ts'
import { createLiveEvents } from '../live-events/live-events.ts'
import { createGuardedHttp, type GuardedHttp } from '../platform/net/guarded-http.ts'
import { createNetMetrics } from '../platform/net/metrics.ts'
import { createRelay, type Relay } from '../relay/relay.ts'
import type { FundWallet } from '../relay/wallet-balance.ts'
import { startRegistry } from '../registry/registry.ts'
import { type Roles, rolesOf } from '../health/roles.ts'
import { createServices, type Services } from '../services.ts'
import { createSponsorship, type Sponsorship } from '../sponsorship/sponsorship.ts'
import { createLocalSigner } from '../platform/keys/fee-payer-signer.ts'
import { createSecretBox, type SecretBox } from '../webhooks/secret-box.ts'
import { receiverProblemOf } from '../webhooks/subscription-input.ts'
import type { GatewayContext } from './context.ts'

export interface ServiceParts {
  readonly services: Services
  readonly relay: Relay
  readonly sponsorship: Sponsorship
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
  const sponsorship = createSponsorship({
    kysely,
    rpc,
    clock,
    logger,
    metrics,
    registryProgram: config.ledger.programId,
    signer: config.sponsorship.enabled ? signer : null,
    limits: config.sponsorship,
  })
  const feePayer = signer && { pubkey: signer.pubkey, enabled: () => sponsorship.enabled() }
  const relay = createRelay({
    kysely,
    rpc,
    clock,
    registryProgram: config.ledger.programId,
    allowedPrograms: config.relay.allowedPrograms,
    submitWaitMs: config.relay.submitWaitMs,
    logger,
    metrics,
    sponsor: sponsorship.hooks,
  })
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
    watchTransaction: relay.watch,
    logger,
    metrics,
  })
  stack.defer(() => liveEvents.close())
  const searchIndex = await startIndex({ config, orm, kysely, logger, metrics })
  stack.defer(() => searchIndex?.stop())
  const registry =
    config.roles.has('api') && config.server.registryBytes > 0
      ? startRegistry({
          query: await openRowReads(orm),
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
    searchIndex,
    registry,
    rpc,
    relay: relay.service,
    sponsorship: sponsorship.service(relay),
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
  return { services, relay, sponsorship, identity, http, roles }
}

/** Null if the index is switched off, or this process answers no searches. */
async function startIndex({
  config,
  orm,
  ...parts
}: Pick<GatewayContext, 'config' | 'orm' | 'kysely' | 'logger' | 'metrics'>): Promise<SearchIndex | null> {
  const maxBytes = config.server.searchIndexBytes
  if (maxBytes === 0 || !config.roles.has('api')) return null
  return startSearchIndex({ ...parts, connection: await connectionOptions(orm), maxBytes })
}
