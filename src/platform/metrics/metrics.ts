import { collectDefaultMetrics, Registry, type Counter } from 'prom-client'
import { isDomainError } from '../../domain/errors.ts'

/**
 * The metrics of one process, in the Prometheus format at `GET /metrics`. Names are
 * `gateway_<area>_<what>_<unit>`; counters end in `_total`. Labels have few values: never a key,
 * URL or id.
 */
export type Metrics = Registry

export function createMetrics(): Metrics {
  return new Registry()
}

/** Adds the metrics of Node itself: memory, CPU, event loop delay, garbage collection. */
export function addProcessMetrics(metrics: Metrics): void {
  collectDefaultMetrics({ register: metrics })
}

/**
 * Counts the outcome of `work`: `ok`, the code of a DomainError, or `error` for any other error.
 */
export async function countOutcome<Result>(
  counter: Counter<'operation' | 'outcome'>,
  operation: string,
  work: Promise<Result>,
): Promise<Result> {
  try {
    const result = await work
    counter.inc({ operation, outcome: 'ok' })
    return result
  } catch (error) {
    counter.inc({ operation, outcome: isDomainError(error) ? error.code : 'error' })
    throw error
  }
}
