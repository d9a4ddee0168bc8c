import { setTimeout as delay } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { Logger } from '../../platform/logger.ts'
import { cancelUnwanted, removeOld } from './housekeeping.ts'
import type { WorkerMetrics } from './metrics.ts'
import { readWebhookStats } from './webhook-stats.ts'

const OBSERVE_MS = 10_000
const CLEAN_MS = 600_000

/** What has to be done now and then, beside the deliveries: withdraw, forget, measure. */
export function createUpkeep(options: {
  kysely: Kysely<Database>
  logger: Pick<Logger, 'warn'>
  metrics: WorkerMetrics
  signal: AbortSignal
}): { start(): void; stop(): Promise<void> } {
  const { kysely, logger, metrics, signal } = options
  let running: Promise<void> | undefined

  const run = async (): Promise<void> => {
    let cleanAt = performance.now()
    while (!signal.aborted) {
      try {
        const stats = await readWebhookStats(kysely)
        for (const lane of ['pending', 'retrying'] as const) {
          metrics.dueAge.set({ lane }, stats.dueAge[lane] ?? 0)
          metrics.waiting.set({ lane }, stats.deliveries[lane])
        }
        metrics.disabledEndpoints.set(stats.subscriptions.disabled)
        metrics.pausedEndpoints.set(stats.subscriptions.paused)
        while (!signal.aborted && (await cancelUnwanted(kysely)) > 0);
        if (performance.now() >= cleanAt) {
          while (!signal.aborted && (await removeOld(kysely)) > 0);
          cleanAt = performance.now() + CLEAN_MS
        }
      } catch (err) {
        if (!signal.aborted) logger.warn({ err }, 'the upkeep of deliveries failed and is tried again')
      }
      await delay(OBSERVE_MS, undefined, { signal }).catch(() => undefined)
    }
  }

  return {
    start: () => {
      running ??= run()
    },
    stop: async () => {
      await running
    },
  }
}
