import { Gauge } from 'prom-client'
import type { Metrics } from '../platform/metrics/metrics.ts'

/** Returns what is to be told how many streams are open. */
export function countStreams(metrics: Metrics): (open: number) => void {
  const gauge = new Gauge({
    name: 'gateway_live_events_streams',
    help: 'Live streams that are open in this process',
    registers: [metrics],
  })
  return (open) => gauge.set(open)
}
