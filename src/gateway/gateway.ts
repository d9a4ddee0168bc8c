import type { AddressInfo } from 'node:net'
import { buildApp } from '../../rest/app.ts'
import { loadOperators } from '../../rest/documents/operators.ts'
import { createReadinessLog } from './log-ready.ts'
import { startDatabase } from './database.ts'
import { checkLedgerSettings, type RunningLedger, startLedger } from './ledger.ts'
import { connectLedgerNodes } from './ledger-nodes.ts'
import { ensureLocalnetInvite } from './localnet-invite.ts'
import { trustSampleAuditor } from './localnet-issuer.ts'
import { checkPorts } from './ports.ts'
import { lockDataDir, writeRuntime } from './runtime-file.ts'
import { composeServices } from './services.ts'
import { settleBoth } from '../platform/async/promises.ts'
import { createGatewayIndexer, startWorkers, type StopPart } from './workers.ts'
import { checkStoredSecrets, webhookSecretBox } from './webhook-secrets.ts'
import { type Clock, systemClock } from '../platform/clock.ts'
import { type Config, hostNamesOf, type Secrets } from '../platform/config/config.ts'
import { readKeypairSetting } from '../platform/keys.ts'
import type { Indexer } from '../ledger/indexer/indexer.ts'
import { exposeLedgerNodes } from '../ledger/failover/failover-rpc.ts'
import type { Logger } from '../platform/logger.ts'
import { addProcessMetrics, createMetrics } from '../platform/metrics/metrics.ts'
import type { EndChild } from '../platform/process/end-child.ts'
import { OperatorError } from '../platform/process/operator-error.ts'
import { createInviteCodes } from '../transactions/invite-codes.ts'
import type { WorkerLimits } from '../webhooks/limits.ts'
import packageJson from '../../package.json' with { type: 'json' }

export interface Gateway {
  baseUrl: string
  ledger: RunningLedger
  indexer: Indexer | null
  /** Resolves when `signal` aborts. Rejects if the service cannot continue. */
  ended: Promise<void>
  /** Stops everything in the reverse order of its start. */
  stop(): Promise<void>
}

export interface GatewayOptions {
  config: Config
  secrets: Secrets
  logger: Logger
  clock?: Clock
  /** Stops the gateway. If it is still starting, `startGateway` throws. */
  signal?: AbortSignal
  /** Gets the child processes that must not outlive this process. */
  children?: Set<EndChild>
  /** Replaces the timing and limits of the webhook worker, for tests. */
  webhookLimits?: Partial<WorkerLimits>
}

/** Starts database, ledger, workers and HTTP server. A failed start leaves nothing running. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { config, secrets, logger, clock = systemClock, children = new Set() } = options
  const { signal = new AbortController().signal } = options
  checkLedgerSettings(config)
  const stack = new AsyncDisposableStack()
  try {
    stack.defer(lockDataDir(config.dataDir))
    await checkPorts(config)
    const metrics = createMetrics()
    addProcessMetrics(metrics)
    const { feePayerKeypair } = secrets
    const feePayerKey =
      feePayerKeypair === null ? null : readKeypairSetting(feePayerKeypair, 'FEE_PAYER_KEYPAIR')
    const secretBox = webhookSecretBox(config, secrets)
    const [database, ledger] = await settleBoth(
      startDatabase(config, logger, { signal, children }).then((started) =>
        stack.adopt(started, (each) => each.stop()),
      ),
      startLedger(config, { logger, clock }).then((started) => stack.adopt(started, (each) => each.stop())),
    )
    const { orm } = database
    const kysely = orm.em.getKysely()
    const { rpc, wsUrls } = await connectLedgerNodes(ledger, {
      kysely,
      clock,
      logger,
      programId: config.ledger.programId,
    })
    exposeLedgerNodes(() => rpc.nodes(), metrics)
    if (secretBox !== null) await checkStoredSecrets(kysely, secretBox)
    const context = { config, orm, kysely, rpc, clock, logger, metrics, stack }
    const indexer = createGatewayIndexer(context, wsUrls)
    const ended = endOf([indexer?.finished, database.keepReachable()], signal)
    const abortedStart = ended.then(() => Promise.reject(new OperatorError('stopped during startup')))
    abortedStart.catch(() => undefined)

    const parts = await composeServices(context, {
      indexer,
      feePayerKey: feePayerKey ?? ledger.localnet?.keys.feePayer ?? null,
      secretBox,
      ipfsGateway: ledger.localnet?.ipfsGateway ?? null,
      fundWallet: ledger.localnet?.fundWallet ?? null,
    })
    const { services, transactions, roles } = parts
    const stops: StopPart[] = []
    if (ledger.localnet !== null) roles.starting = 'the localnet is being set up'
    startWorkers(context, parts, { indexer, secretBox, webhookLimits: options.webhookLimits ?? {}, stops })
    stack.defer(() => stopTogether(stops))
    const { host, port, trustProxy } = config.server
    const app = await buildApp({
      hasLocalnet: ledger.localnet !== null,
      services,
      logger,
      metrics,
      surface: config.roles.has('api') ? 'all' : 'operations',
      version: packageJson.version,
      baseUrl: config.server.baseUrl ?? (port === 0 ? null : `http://${host}:${port}`),
      trustProxy,
      corsOrigins: config.server.corsOrigins,
      hostNames: hostNamesOf(config.server),
      console: config.server.console,
      operatorDocuments:
        config.server.operationsDir === null ? [] : loadOperators(config.server.operationsDir),
      metricsToken: secrets.metricsToken,
    })
    stops.push(() => app.close())
    signal.throwIfAborted()
    await app.listen({ host, port })
    const { port: actualPort } = app.server.address() as AddressInfo
    const baseUrl = config.server.baseUrl ?? `http://${host}:${actualPort}`
    const [rpcUrl = ''] = ledger.rpcUrls
    const [wsUrl = ''] = ledger.wsUrls
    writeRuntime(config.dataDir, { baseUrl, rpcUrl, wsUrl })
    if (ledger.localnet !== null && config.localnet.seedAgents > 0) {
      await trustSampleAuditor(ledger.localnet.keys, { em: orm.em, clock })
    }
    await Promise.race([ledger.localnet?.provision(), abortedStart])
    // Only now, so that the tables are filled for the first time with the sample agents in them.
    indexer?.start()
    await Promise.race([indexer !== null && ledger.localnet !== null && indexer.whenIdle(), abortedStart])
    const inviteCode =
      ledger.localnet !== null && transactions.feePayer !== null
        ? await ensureLocalnetInvite(config.dataDir, createInviteCodes(orm.em))
        : null
    roles.starting = null
    const readinessLog = createReadinessLog({
      health: services.info,
      baseUrl,
      ledger,
      logger,
      dataDir: config.dataDir,
      inviteCode,
    })
    stops.push(() => readinessLog.stop())
    readinessLog.start()
    return { baseUrl, ledger, indexer, ended, stop: () => stack.disposeAsync() }
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
}

/** Each part may take its whole time to finish what it does, so they stop at the same time. */
async function stopTogether(stops: readonly StopPart[]): Promise<void> {
  const stopped = stops.map((stop) => stop())
  await Promise.allSettled(stopped)
  await Promise.all(stopped)
}

/** Resolves when `signal` aborts. Rejects if one of the parts fails. */
function endOf(parts: (Promise<void> | undefined)[], signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  promise.catch(() => undefined)
  signal.addEventListener('abort', () => resolve(), { once: true })
  if (signal.aborted) resolve()
  for (const part of parts) part?.catch(reject)
  return promise
}
