import type { Clock } from '../platform/clock.ts'
import type { Indexer } from '../ledger/indexer/indexer.ts'
import type { Logger } from '../platform/logger.ts'
import type { Metrics } from '../platform/metrics/metrics.ts'
import type { GuardedHttp } from '../platform/net/guarded-http.ts'
import type { SecretBox } from '../webhooks/secret-box.ts'
import { createSender } from '../webhooks/worker/send.ts'
import { WORKER_LIMITS, type WorkerLimits } from '../webhooks/worker/limits.ts'
import { createWebhookWorker, type WebhookWorker } from '../webhooks/worker/worker.ts'
import type { Orm } from '../db/orm-types.ts'

/** The worker of this process, started. An indexer in the same process wakes it without the detour over the database. */
export function startWebhookWorker(options: {
  orm: Orm
  http: GuardedHttp
  secretBox: SecretBox
  indexer: Indexer | null
  clock: Clock
  logger: Logger
  metrics: Metrics
  limits?: Partial<WorkerLimits>
}): WebhookWorker {
  const { http, secretBox, indexer, clock, limits } = options
  const totalMs = limits?.deadlineMs ?? WORKER_LIMITS.deadlineMs
  const worker = createWebhookWorker({
    ...options,
    send: createSender({ http, clock, limits: { totalMs } }),
    openSecret: (encrypted, subscriptionId) => secretBox.open(subscriptionId, encrypted),
  })
  indexer?.onOutbox(() => worker.wake())
  worker.start()
  return worker
}
