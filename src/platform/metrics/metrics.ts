import { type Counter, Gauge, Registry } from 'prom-client'
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

interface About {
  readonly name: string
  readonly help: string
}

/** Adds a gauge that is read when the metrics are. */
export function addGauge(metrics: Metrics, about: About, read: () => number | Promise<number>): void {
  const collect = async (): Promise<void> => gauge.set(await read())
  const gauge: Gauge = new Gauge({ ...about, registers: [metrics], collect })
}

/** Adds a gauge with a label. `read` returns a number for each value of the label. */
export function addLabelledGauge(
  metrics: Metrics,
  { label, ...about }: About & { readonly label: string },
  read: () => Readonly<Record<string, number>>,
): void {
  const collect = (): void => {
    for (const [value, count] of Object.entries(read())) gauge.set({ [label]: value }, count)
  }
  const gauge: Gauge = new Gauge({ ...about, labelNames: [label], registers: [metrics], collect })
}

/** Counts the outcome of `work`: `ok`, the code of a DomainError, or `error`. */
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
