import type { Indexer } from '../ledger/indexer/indexer.ts'
import type { SecretBox } from '../webhooks/secret-box.ts'
import type { WorkerLimits } from '../webhooks/worker/limits.ts'
import type { Foundation } from './foundation.ts'
import type { Parts } from './services.ts'
import { startWebhookWorker } from './webhook-worker.ts'

/** Starts what works in the background, as far as it is of the roles of this process. */
export function startWorkers(
  foundation: Foundation,
  { identity, http, relay, sponsorship, roles }: Parts,
  options: { indexer: Indexer | null; secretBox: SecretBox | null; webhookLimits: Partial<WorkerLimits> },
): void {
  const { config, logger, metrics, stack } = foundation
  if (config.roles.has('cards')) {
    const cards = identity.cardWorker(metrics)
    stack.defer(() => cards.stop())
    cards.start()
    roles.workers.set('cards', cards)
  }
  const { indexer, secretBox, webhookLimits: limits } = options
  if (config.roles.has('webhooks') && secretBox !== null) {
    if (config.webhooks.devMode)
      logger.warn('WEBHOOK_DEV_MODE is on: receivers may be on loopback and without TLS')
    const { orm, clock } = foundation
    const worker = startWebhookWorker({ orm, http, secretBox, indexer, clock, logger, metrics, limits })
    stack.defer(() => worker.stop())
    roles.workers.set('webhooks', worker)
  }
  if (config.roles.has('api')) {
    stack.defer(() => relay.tracker.stop())
    relay.tracker.start()
    const { spendingRecorder } = sponsorship
    if (spendingRecorder !== null) {
      stack.defer(() => spendingRecorder.stop())
      spendingRecorder.start()
    }
  }
}
