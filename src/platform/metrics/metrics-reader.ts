import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue } from 'prom-client'
import type { Peers } from '../process/peers.ts'
import type { Metrics } from './metrics.ts'

const CALL = 'metrics'
/** Processes that do not answer in this time are left out. */
const TIMEOUT_MS = 1_000

type MetricValues = MetricObjectWithValues<MetricValue<string>>[]

/**
 * Returns a function that reads the metrics as text. If there are several processes, it reads those
 * of all, with the label `process`.
 */
export function createMetricsReader(metrics: Metrics, peers: Peers | null): () => Promise<string> {
  if (peers === null) return () => metrics.metrics()
  const { own, count } = peers
  metrics.setDefaultLabels({ process: own })
  peers.answer(CALL, () => metrics.getMetricsAsJSON())
  return async () => {
    const calls = Array.from({ length: count }, async (_, i): Promise<MetricValues> => {
      if (i + 1 === own) return metrics.getMetricsAsJSON()
      const reply = await peers.call(i + 1, CALL, null, TIMEOUT_MS)
      return reply.outcome === 'answered' ? (reply.result as MetricValues) : []
    })
    return AggregatorRegistry.aggregate((await Promise.all(calls)).map(keepAll)).metrics()
  }
}

// The label makes every value the only one of its sum. Some metrics would otherwise be left out.
const keepAll = (values: MetricValues): object => values.map((each) => ({ ...each, aggregator: 'sum' }))
