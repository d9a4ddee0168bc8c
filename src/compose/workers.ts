import { createIndexer, type Indexer } from '../ledger/indexer/indexer.ts'
import { exposeIndexer } from '../ledger/indexer/status.ts'
import type { GuardedHttp } from '../platform/net/guarded-http.ts'
import { webhookSink } from '../webhooks/enqueue.ts'
import type { SecretBox } from '../webhooks/secret-box.ts'
import type { WorkerLimits } from '../webhooks/limits.ts'
import { createSender } from '../webhooks/send.ts'
import { createWebhookWorker, type WebhookWorker } from '../webhooks/worker.ts'
import type { LedgerNodes } from './ledger.ts'
import type { GatewayContext, ServiceParts } from './services.ts'

/** Stops a part that was started, after it has finished what it does. */
export type StopPart = () => Promise<void>

interface WorkerOptions {
  indexer: Indexer | null
  /** Null if this process needs no webhook secrets. */
  secretBox: SecretBox | null
  webhookLimits: Partial<WorkerLimits>
  /** Gets the workers that may stop together with the server. */
  stops: StopPart[]
}

/** Creates the indexer. Returns null if this process does not have the role `indexer`. */
export function createGatewayIndexer(
  { config, orm, clock, logger, metrics, stack }: GatewayContext,
  { rpc, wsUrls }: LedgerNodes,
): Indexer | null {
  if (!config.roles.has('indexer')) return null
  const { programId, commitment } = config.ledger
  const indexer = createIndexer({
    orm,
    rpc,
    sink: webhookSink,
    wsUrl: wsUrls,
    programId,
    commitment,
    clock,
    logger,
    ...config.indexer,
  })
  stack.defer(() => indexer.stop())
  exposeIndexer(() => indexer.status(), metrics)
  return indexer
}

/** Starts the background workers that the roles of this process need. */
export function startWorkers(context: GatewayContext, parts: ServiceParts, options: WorkerOptions): void {
  const { config, orm, clock, logger, metrics, stack } = context
  const { identity, http, transactions, roles } = parts
  const { indexer, secretBox, webhookLimits: limits, stops } = options
  if (config.roles.has('cards')) {
    const cards = identity.cardWorker(metrics)
    stops.push(() => cards.stop())
    cards.start()
    roles.workers.set('cards', cards)
  }
  if (indexer !== null) {
    stops.push(() => transactions.selfSent.stop())
    indexer.onTransaction(transactions.selfSent.see)
  }
  if (config.roles.has('webhooks') && secretBox !== null) {
    if (config.webhooks.devMode) {
      logger.warn('WEBHOOK_DEV_MODE is on: webhook receivers may use http and loopback addresses')
    }
    const worker = startWebhookWorker({ orm, http, secretBox, indexer, clock, logger, metrics, limits })
    stops.push(() => worker.stop())
    roles.workers.set('webhooks', worker)
  }
  if (config.roles.has('api')) {
    // They stop after the server: a submit in flight waits for the tracker.
    stack.defer(() => transactions.tracker.stop())
    transactions.tracker.start()
  }
}

/** Starts the webhook worker. An indexer in the same process wakes it directly. */
export function startWebhookWorker({
  http,
  secretBox,
  indexer,
  limits,
  ...dependencies
}: Pick<GatewayContext, 'orm' | 'clock' | 'logger' | 'metrics'> & {
  http: GuardedHttp
  secretBox: SecretBox
  indexer: Indexer | null
  limits?: Partial<WorkerLimits>
}): WebhookWorker {
  const worker = createWebhookWorker({
    ...dependencies,
    limits,
    send: createSender({ http, clock: dependencies.clock }),
    openSecret: (encrypted, subscriptionId) => secretBox.open(subscriptionId, encrypted),
  })
  indexer?.onOutbox(() => worker.wake())
  worker.start()
  return worker
}
