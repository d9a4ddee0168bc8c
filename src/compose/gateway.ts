import type { AddressInfo } from 'node:net'
import { buildApp } from '../../rest/app.ts'
import { exposeLedgerNodes } from '../ledger/failover/failover-rpc.ts'
import { type Clock, systemClock } from '../platform/clock.ts'
import type { Config, Secrets } from '../platform/config/config.ts'
import { loadOrCreateOperatorToken, loadOrCreateSecretsKey, readKeypairSetting } from '../platform/keys.ts'
import type { Logger } from '../platform/logger.ts'
import { createMetrics } from '../platform/metrics/metrics.ts'
import type { EndChild } from './database.ts'
import { OperatorError } from '../platform/process/operator-error.ts'
import type { WorkerLimits } from '../webhooks/limits.ts'
import { checkLedgerSettings, openBackends, type RunningLedger } from './ledger.ts'
import { fillTables } from './fill-tables.ts'
import { createReadinessLog } from './log-ready.ts'
import { lockDataDir, writeRuntime } from './runtime-file.ts'
import { composeServices, type GatewayContext } from './services.ts'
import { createGatewayIndexer, startWorkers, type StopPart } from './workers.ts'
import { isPortInUse } from '../platform/net/check-url.ts'
import { type Kysely, sql } from 'kysely'
import { collectDefaultMetrics } from 'prom-client'
import type { Database } from '../db/database.ts'
import { createSecretBox, type SecretBox, unknownKey } from '../webhooks/secret-box.ts'

export type Gateway = Awaited<ReturnType<typeof startGateway>>

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
export async function startGateway(options: GatewayOptions) {
  checkLedgerSettings(options.config)
  const stack = new AsyncDisposableStack()
  try {
    const { signal = new AbortController().signal } = options
    return await startParts({ ...options, signal }, stack)
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
}

async function startParts(options: GatewayOptions & { signal: AbortSignal }, stack: AsyncDisposableStack) {
  const { config, secrets, logger, clock = systemClock, signal, children } = options
  stack.defer(lockDataDir(config.dataDir))
  await checkPorts(config)
  const metrics = createMetrics()
  // Of Node: memory, CPU, event loop delay, garbage collection.
  collectDefaultMetrics({ register: metrics })
  const ownKey = readFeePayer(secrets)
  const secretBox = webhookSecretBox(config, secrets)
  const opened = await openBackends(config, { logger, clock, stack, signal, children })
  const { database, ledger, nodes } = opened
  const { localnet } = ledger
  const { orm } = database
  exposeLedgerNodes(() => nodes.rpc.nodes(), metrics)
  if (secretBox !== null) await checkStoredSecrets(orm.em.getKysely(), secretBox)
  const context: GatewayContext = { config, orm, rpc: nodes.rpc, clock, logger, metrics, stack }
  const indexer = createGatewayIndexer(context, nodes)
  const ended = endOf([indexer?.finished, database.keepReachable()], signal)
  const abortedStart = ended.then(() => Promise.reject(new OperatorError('stopped during startup')))
  abortedStart.catch(() => undefined)

  const parts = await composeServices(context, {
    indexer,
    feePayerKey: ownKey ?? localnet?.keys.feePayer ?? null,
    secretBox,
    operatorToken: operatorToken(config, secrets),
    ipfsGateway: localnet?.ipfsGateway ?? null,
    fundWallet: localnet?.fundWallet ?? null,
    publishDocument: localnet?.publishDocument ?? null,
  })
  const { services, roles } = parts
  const stops: StopPart[] = []
  if (localnet !== null) roles.starting = 'the localnet is being set up'
  startWorkers(context, parts, { indexer, secretBox, webhookLimits: options.webhookLimits ?? {}, stops })
  stack.defer(() => stopTogether(stops))
  const app = await buildApp(context, services, {
    hasLocalnet: localnet !== null,
    metricsToken: secrets.metricsToken,
  })
  stops.push(() => app.close())
  signal.throwIfAborted()
  const baseUrl = await listen(app, config, ledger)
  const filling = fillTables(context, { ledger, indexer, parts, signal })
  const inviteCode = await Promise.race([filling, abortedStart])
  roles.starting = null
  const { dataDir } = config
  const log = createReadinessLog({ health: services.info, baseUrl, ledger, logger, dataDir, inviteCode })
  stops.push(() => log.stop())
  log.start()
  return {
    baseUrl,
    ledger,
    indexer,
    /** Resolves when `signal` aborts. Rejects if the service cannot continue. */
    ended,
    /** Stops everything in the reverse order of its start. */
    stop: (): Promise<void> => stack.disposeAsync(),
  }
}

const readFeePayer = ({ feePayerKeypair }: Secrets) =>
  feePayerKeypair === null ? null : readKeypairSetting(feePayerKeypair, 'FEE_PAYER_KEYPAIR')

/** Null on other ledgers than the localnet, unless it is set: nobody is an operator. */
function operatorToken({ ledger, roles, dataDir }: Config, secrets: Secrets): string | null {
  if (secrets.operatorToken !== null || ledger.rpcUrls !== null || !roles.has('api'))
    return secrets.operatorToken
  return loadOrCreateOperatorToken(dataDir)
}

/** Listens, and writes the addresses for the command line. Returns the base URL. */
async function listen(
  app: Awaited<ReturnType<typeof buildApp>>,
  { server, dataDir }: Config,
  ledger: RunningLedger,
): Promise<string> {
  const { host, port } = server
  await app.listen({ host, port })
  const { port: actualPort } = app.server.address() as AddressInfo
  const baseUrl = server.baseUrl ?? `http://${host}:${actualPort}`
  const [rpcUrl = ''] = ledger.rpcUrls
  const [wsUrl = ''] = ledger.wsUrls
  writeRuntime(dataDir, { baseUrl, rpcUrl, wsUrl })
  return baseUrl
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

const LOCALNET_HOST = '127.0.0.1'

/** Throws OperatorError with every port of the settings that is in use. */
async function checkPorts({
  server,
  ledger,
  localnet,
}: Pick<Config, 'server' | 'ledger' | 'localnet'>): Promise<void> {
  const hasLocalnet = ledger.rpcUrls === null && localnet.port !== 0
  const ports = [
    { host: server.host, port: server.port, change: 'set PORT to a free port' },
    ...(hasLocalnet ? [localnet.port, localnet.port + 1] : []).map((port) => ({
      host: LOCALNET_HOST,
      port,
      change: 'set LOCALNET_PORT to a free port that is followed by another free one',
    })),
  ]
  const problems: string[] = []
  for (const { host, port, change } of ports) {
    if (!(await isPortInUse(host, port))) continue
    problems.push(`${host}:${port} is in use: stop the program that uses it, or ${change}, or to 0 for any`)
  }
  if (problems.length > 0) throw new OperatorError(problems.join('\n'))
}

/**
 * Encrypts webhook secrets with WEBHOOK_SECRETS_KEY, or on the localnet with a key in DATA_DIR.
 * Null if no role of this process needs it.
 */
export function webhookSecretBox(config: Config, { webhookSecretsKeys }: Secrets): SecretBox | null {
  const roles = (['api', 'webhooks'] as const).filter((role) => config.roles.has(role))
  if (roles.length === 0) return null
  if (webhookSecretsKeys !== null && webhookSecretsKeys.length > 0) return createSecretBox(webhookSecretsKeys)
  if (config.ledger.rpcUrls === null) return createSecretBox([loadOrCreateSecretsKey(config.dataDir)])
  throw new OperatorError(
    `WEBHOOK_SECRETS_KEY is required for the roles ${roles.join(' and ')} if SOLANA_RPC_URL is set. Create one with \`openssl rand -base64 32\` and use it for every replica`,
  )
}

/** Throws OperatorError if a stored secret is encrypted with a key that is not configured. */
export async function checkStoredSecrets(kysely: Kysely<Database>, box: SecretBox): Promise<void> {
  const { rows } = await sql`
    select 1 from webhook_subscriptions
    cross join lateral (values (secret_encrypted),
      (case when previous_secret_until > now() then previous_secret_encrypted end)) as stored(secret)
    where deleted_at is null and substring(secret from 1 for 5) <> all(${box.prefixes}::bytea[])
    limit 1`.execute(kysely)
  if (rows.length > 0) throw unknownKey()
}
