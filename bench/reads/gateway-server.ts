import { setTimeout as delay } from 'node:timers/promises'
import { pino } from 'pino'
import { pubkey } from '@agent-registry/solana'
import { registryIdl } from '@agent-registry/program'
import { buildApp } from '../../rest/app.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { openOrm } from '../../src/db/orm.ts'
import { poolQueue } from '../../src/db/pool-queue.ts'
import { openReads, openRowReads } from '../../src/db/reads.ts'
import { startRegistry } from '../../src/registry/registry.ts'
import { createLiveEvents } from '../../src/live-events/live-events.ts'
import { createRelay } from '../../src/relay/relay.ts'
import { createIdentity } from '../../src/identity/identity.ts'
import { createGuardedHttp } from '../../src/platform/net/guarded-http.ts'
import { createMetrics } from '../../src/platform/metrics/metrics.ts'
import { createAdmission } from '../../src/platform/overload/admission.ts'
import { createSponsorship } from '../../src/sponsorship/sponsorship.ts'
import { rolesOf } from '../../src/health/roles.ts'
import { createServices } from '../../src/services.ts'
import { createSecretBox } from '../../src/webhooks/secret-box.ts'
import { serveMeasured } from './measured-server.ts'

/**
 * The whole service without a ledger. The second argument is the size of the response cache in
 * bytes; without it nothing is cached. With `no-search` as the third, PostgreSQL searches by name.
 */
const url = process.argv[2] ?? ''
const responseCacheBytes = Number(process.argv[3] ?? 0)
const isSearched = process.argv[4] !== 'no-search'
const REGISTRY_BYTES = 2 ** 31
const POLL_MS = 50
const orm = await openOrm({ url })
const kysely = orm.em.getKysely()
const rpc = { call: () => Promise.reject(new Error('the bench has no ledger')) }
const registryProgram = pubkey(registryIdl.address)
const relay = createRelay({
  kysely,
  rpc,
  clock: systemClock,
  registryProgram,
  allowedPrograms: null,
  submitWaitMs: 0,
  logger: pino({ level: 'silent' }),
})
const sponsorship = createSponsorship({
  kysely,
  rpc,
  clock: systemClock,
  logger: pino({ level: 'silent' }),
  registryProgram,
  signer: null,
  limits: {
    dailyBudget: 0n,
    minBalance: 0n,
    dailyRegistrationsPerClient: 0,
    dailyTransactionsPerWallet: 0,
    dailyTransactionsPerClient: 0,
  },
})
const metrics = createMetrics()
const registry = startRegistry({
  query: await openRowReads(orm),
  maxBytes: REGISTRY_BYTES,
  logger: pino({ level: 'silent' }),
  metrics,
  minNames: isSearched ? 0 : Infinity,
})
while (!registry.status().ready || registry.status().searches !== isSearched) await delay(POLL_MS)
const services = createServices({
  registry,
  em: orm.em,
  reads: await openReads(orm),
  rpc,
  relay: relay.service,
  sponsorship: sponsorship.service(relay),
  credentials: createIdentity({
    em: orm.em,
    clock: systemClock,
    http: createGuardedHttp({ devMode: false, allowedPorts: [] }),
    gateways: { ipfs: null, arweave: null },
    contextsDir: null,
    logger: pino({ level: 'silent' }),
    metrics,
  }).credentials,
  liveEvents: createLiveEvents({
    orm,
    watchTransaction: relay.watch,
    logger: pino({ level: 'silent' }),
    metrics,
  }),
  clock: systemClock,
  identity: {
    name: 'bench',
    version: '0.0.0',
    program: registryProgram,
    features: { did: false, mcp: false, a2a: false, credentials: false },
  },
  webhooks: {
    secretBox: createSecretBox([new Uint8Array(32)]),
    receiverProblem: () => null,
    dailyPerNetwork: 100,
  },
  signInOrigins: { origins: [], anyLoopback: false },
  rateLimits: null,
  admission: createAdmission({
    queue: await poolQueue(orm),
    clock: systemClock,
    limits: { inFlight: 1_000, databaseQueue: 200 },
    metrics,
  }),
  indexerStatus: async () => ({
    phase: 'live',
    cursorSlot: 312_004_551,
    finalizedSlot: 312_004_520,
    lagSlots: 0,
    lagSeconds: 0.4,
    deadLetters: 0,
    ready: true,
    isEmpty: false,
    hasLeader: true,
    healthy: true,
  }),
  feePayer: null,
  roles: rolesOf(['api']),
})
const logger = pino({ level: 'warn' })
const gateway = await buildApp({
  services,
  logger,
  metrics,
  version: '0.0.0',
  baseUrl: 'http://127.0.0.1',
  responseCacheBytes,
})
serveMeasured(Number(new URL(await gateway.listen({ port: 0 })).port))
