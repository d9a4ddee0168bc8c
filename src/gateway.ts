import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import packageJson from '../package.json' with { type: 'json' }
import { buildApp } from './app.ts'
import { announce } from './bootstrap/announce.ts'
import { startDatabase } from './bootstrap/database.ts'
import { type RunningLedger, startLedger } from './bootstrap/ledger.ts'
import { keepLocalnetInvite } from './bootstrap/localnet-invite.ts'
import { lockDataDir, writeRuntime } from './bootstrap/runtime-file.ts'
import { startWebhookWorker } from './bootstrap/webhook-worker.ts'
import { checkStoredSecrets, webhookSecretBox } from './bootstrap/webhook-secrets.ts'
import { startSponsorship } from './bootstrap/sponsorship.ts'
import { type Clock, systemClock } from './clock.ts'
import type { Config, Secrets } from './config/config.ts'
import type { Database } from './db/tables.ts'
import { createIdentity } from './identity/identity.ts'
import { readFeePayer } from './keys/fee-payer.ts'
import { exposeIndexer } from './ledger/indexer/metrics.ts'
import { createIndexer, type Indexer } from './ledger/indexer/indexer.ts'
import { indexerReport } from './ledger/indexer-report.ts'
import { createFailoverRpc } from './ledger/failover-rpc.ts'
import type { Logger } from './logger.ts'
import { addProcessMetrics, createMetrics } from './metrics/metrics.ts'
import { createGuardedHttp } from './net/guarded-http.ts'
import { createNetMetrics } from './net/metrics.ts'
import { OperatorError } from './operator-error.ts'
import { createLiveEvents } from './live-events/live-events.ts'
import { createRelay } from './relay/relay.ts'
import { createServices } from './services.ts'
import { createInviteCodes } from './sponsorship/invite-codes.ts'
import type { WorkerLimits } from './webhooks/worker/timing.ts'
import { createSecretBox } from './webhooks/secret-box.ts'
import { receiverProblemOf } from './webhooks/subscriptions/receiver-problem.ts'

export interface Gateway {
  baseUrl: string
  ledger: RunningLedger
  indexer: Indexer | null
  /** Resolves when the signal asks to stop; rejects when the service cannot go on, such as with a database of another ledger. */
  ended: Promise<void>
  /** Stops everything in the reverse order of its start; the database last. */
  stop(): Promise<void>
}

/** Starts all that the settings name: database, ledger, indexer, HTTP. A failed start leaves nothing running. */
export async function startGateway(options: {
  config: Config
  secrets: Secrets
  logger: Logger
  clock?: Clock
  /** Asks to stop, also while the gateway starts: `startGateway` then throws. */
  signal?: AbortSignal
  /** Other times and sizes for deliveries, for tests. */
  webhookLimits?: Partial<WorkerLimits>
}): Promise<Gateway> {
  const { config, secrets, logger, clock = systemClock, signal = new AbortController().signal } = options
  const stack = new AsyncDisposableStack()
  try {
    stack.defer(lockDataDir(config.dataDir))
    const metrics = createMetrics()
    addProcessMetrics(metrics)
    const feePayerKey = secrets.feePayerKeypair === null ? null : readFeePayer(secrets.feePayerKeypair)
    const secretBox = webhookSecretBox(config, secrets)
    const [database, ledger] = await both(
      startDatabase(config, logger).then((started) => stack.adopt(started, (each) => each.stop())),
      startLedger(config, { logger, clock }).then((started) => stack.adopt(started, (each) => each.stop())),
    )
    const rpc = createFailoverRpc({ urls: ledger.rpcUrls, clock, logger })
    const { programId, commitment } = config.ledger
    const kysely = database.orm.em.getKysely<Database>()
    if (secretBox !== null) await checkStoredSecrets(kysely, secretBox)
    const indexer = config.roles.has('indexer')
      ? createIndexer({
          orm: database.orm,
          rpc,
          wsUrl: ledger.wsUrls,
          programId,
          commitment,
          clock,
          logger,
          ...config.indexer,
        })
      : null
    if (indexer !== null) {
      stack.defer(() => indexer.stop())
      exposeIndexer(() => indexer.status(), metrics)
    }
    indexer?.start()
    const ended = endOf(indexer, signal)
    const early = ended.then(() => Promise.reject(new OperatorError('stopped while starting')))
    early.catch(() => undefined)

    const { sponsorship, feePayer } = startSponsorship(
      config,
      feePayerKey ?? ledger.localnet?.keys.feePayer ?? null,
      { kysely, rpc, clock, logger, metrics },
    )
    const relay = createRelay({
      kysely,
      rpc,
      clock,
      registryProgram: programId,
      allowedPrograms: config.relay.allowedPrograms,
      submitWaitMs: config.relay.submitWaitMs,
      logger,
      metrics,
      sponsor: sponsorship.gate,
    })
    const http = createGuardedHttp({ ...config.webhooks, metrics: createNetMetrics(metrics) })
    stack.defer(() => http.close())
    const identity = createIdentity({
      kysely,
      clock,
      http,
      gateways: config.gateways,
      contextsDir: config.credentialContextsDir,
      logger,
      metrics,
    })
    stack.defer(() => identity.close())
    const liveEvents = createLiveEvents({
      orm: database.orm,
      watchTransaction: relay.watch,
      logger,
      metrics,
    })
    stack.defer(() => liveEvents.close())
    const services = createServices({
      kysely,
      rpc,
      relay: relay.service,
      sponsorship: sponsorship.service(relay),
      credentials: identity.credentials,
      liveEvents,
      clock,
      identity: {
        name: 'Agent Registry Gateway',
        version: packageJson.version,
        program: programId,
        features: { did: true, mcp: true, a2a: true, credentials: true },
      },
      webhooks: {
        // Without a key no role of this process makes or opens a secret.
        secretBox: secretBox ?? createSecretBox([randomBytes(32)]),
        receiverProblem: receiverProblemOf(http),
      },
      rateLimits: config.rateLimits,
      indexerStatus: () => indexerReport(indexer, kysely),
      feePayer,
    })
    if (config.roles.has('cards')) {
      const cards = identity.cardWorker(metrics)
      stack.defer(() => cards.stop())
      cards.start()
    }
    if (config.roles.has('webhooks') && secretBox !== null) {
      if (config.webhooks.devMode)
        logger.warn('WEBHOOK_DEV_MODE is on: receivers may be on loopback and without TLS')
      const limits = options.webhookLimits ?? {}
      const { orm } = database
      const worker = startWebhookWorker({ orm, http, secretBox, indexer, clock, logger, metrics, limits })
      stack.defer(() => worker.stop())
    }
    const api = config.roles.has('api')
    if (api) {
      stack.defer(() => relay.tracker.stop())
      relay.tracker.start()
      stack.defer(() => sponsorship.bookkeeping.stop())
      sponsorship.bookkeeping.start()
    }
    const { host, port, trustProxy } = config.server
    const app = await buildApp({
      services,
      logger,
      metrics,
      surface: api ? 'all' : 'operations',
      version: packageJson.version,
      baseUrl: config.server.baseUrl ?? (port === 0 ? null : `http://${host}:${port}`),
      trustProxy,
      corsOrigins: config.server.corsOrigins,
    })
    stack.defer(() => app.close())
    await app.listen({ host, port })
    const baseUrl = config.server.baseUrl ?? `http://${host}:${(app.server.address() as AddressInfo).port}`
    const [rpcUrl = ''] = ledger.rpcUrls
    const [wsUrl = ''] = ledger.wsUrls
    writeRuntime(config.dataDir, { baseUrl, rpcUrl, wsUrl })
    await Promise.race([ledger.localnet?.provision(), early])
    await Promise.race([indexer !== null && ledger.localnet !== null && indexer.whenIdle(), early])
    const inviteCode =
      ledger.localnet !== null && sponsorship.gate !== null
        ? await keepLocalnetInvite(config.dataDir, createInviteCodes(kysely))
        : null
    announce({ baseUrl, ledger, logger, dataDir: config.dataDir, inviteCode })
    return { baseUrl, ledger, indexer, ended, stop: () => stack.disposeAsync() }
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
}

/** Unlike Promise.all, settles when both have, so that nothing is still starting while the rest is torn down. */
async function both<A, B>(first: Promise<A>, second: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([first, second])
  return [await first, await second]
}

function endOf(indexer: Indexer | null, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  promise.catch(() => undefined)
  signal.addEventListener('abort', () => resolve(), { once: true })
  if (signal.aborted) resolve()
  indexer?.finished.catch(reject)
  return promise
}
