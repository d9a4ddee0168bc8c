import type { WorkerMetrics } from './metrics.ts'
import type { Settled, Settlement } from './settle.ts'

export function observe(metrics: WorkerMetrics, { stale, breakersOpened, disabled }: Settled): void {
  metrics.staleTokens.inc(stale)
  metrics.breakerOpens.inc(breakersOpened)
  for (const { reason } of disabled) metrics.disabled.inc({ reason })
}

export function observeAttempt(metrics: WorkerMetrics, settlement: Settlement): void {
  const { response_status: status, error_code: code } = settlement
  const answered = status === null ? 'none' : `${Math.floor(status / 100)}xx`
  metrics.attempts.inc({ class: settlement.outcome === 'success' ? '2xx' : (code ?? answered) })
  metrics.durations.observe(settlement.duration_ms / 1_000)
}
