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
import { createTransactions } from '../../src/transactions/transactions.ts'
import { createIdentity } from '../../src/identity/identity.ts'
import { createGuardedHttp } from '../../src/platform/net/guarded-http.ts'
import { createMetrics } from '../../src/platform/metrics/metrics.ts'
import { createAdmission } from '../../src/platform/overload/admission.ts'
import { rolesOf } from '../../src/health/roles.ts'
import { createServices } from '../../src/services.ts'
import { connectionOptions } from '../../src/db/session.ts'
import { createSecretBox } from '../../src/webhooks/secret-box.ts'
import { serveMeasured } from './measured-server.ts'

/**
 * The whole service without a ledger. The second argument is not used. With `no-search` as
 * the third, PostgreSQL searches by name.
 */
const url = process.argv[2] ?? ''
const isSearched = process.argv[4] !== 'no-search'
const REGISTRY_BYTES = 2 ** 31
const POLL_MS = 50
const orm = await openOrm({ url })
const rpc = { call: () => Promise.reject(new Error('the bench has no ledger')) }
const registryProgram = pubkey(registryIdl.address)
const transactions = createTransactions({
  em: orm.em,
  rpc,
  clock: systemClock,
  registryProgram,
  allowedPrograms: null,
  submitWaitMs: 0,
  logger: pino({ level: 'silent' }),
  sponsor: null,
})
const metrics = createMetrics()
const registry = startRegistry({
  query: await openRowReads(orm),
  connection: await connectionOptions(orm),
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
  transactions,
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
    watchTransaction: transactions.watch,
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
    limits: { inFlight: 1_000 },
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
})
serveMeasured(Number(new URL(await gateway.listen({ port: 0 })).port))
