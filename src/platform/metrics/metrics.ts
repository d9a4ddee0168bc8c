import { collectDefaultMetrics, Registry } from 'prom-client'

/**
 * The metrics of one process, in the Prometheus format at `GET /metrics`. Each folder makes its own in a file `metrics.ts` with
 * `registers: [metrics]`, under names `gateway_<folder>_<what>_<unit>`; counters end in `_total`. Labels have few values: never a key, URL or id.
 */
export type Metrics = Registry

export function createMetrics(): Metrics {
  return new Registry()
}

/** Adds what Node knows of the process: memory, CPU, event loop delay, garbage collection. */
export function addProcessMetrics(metrics: Metrics): void {
  collectDefaultMetrics({ register: metrics })
}
