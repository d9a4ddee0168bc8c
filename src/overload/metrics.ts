import { Counter, Gauge } from 'prom-client'
import type { Metrics } from '../metrics/metrics.ts'
import type { ShedOrder, ShedReason } from './shed.ts'

/** Returns what is to be told of each refusal; the rest is looked at when the metrics are read. */
export function measureAdmission(options: {
  metrics?: Metrics
  inHand: Readonly<Record<ShedOrder, number>>
  waiting: () => number
}): (order: ShedOrder, reason: ShedReason) => void {
  const { metrics, inHand, waiting } = options
  if (metrics === undefined) return () => undefined
  const registers = [metrics]
  const shed = new Counter({
    name: 'gateway_overload_shed_requests_total',
    help: 'Requests refused because there was too much to do, by when their kind is shed and by reason',
    labelNames: ['order', 'reason'],
    registers,
  })
  const requests: Gauge<'order'> = new Gauge({
    name: 'gateway_overload_requests_in_hand',
    help: 'Requests taken and not answered yet, streams and health checks aside',
    labelNames: ['order'],
    registers,
    collect: () => {
      for (const [order, count] of Object.entries(inHand)) requests.set({ order }, count)
    },
  })
  const queue: Gauge = new Gauge({
    name: 'gateway_overload_waiting',
    help: 'Pieces of work that wait for a connection to the database',
    registers,
    collect: () => queue.set(waiting()),
  })
  return (order, reason) => shed.inc({ order, reason })
}
