import { Counter, Gauge } from 'prom-client'
import type { Metrics } from '../metrics/metrics.ts'
import type { ShedOrder, ShedReason } from './shed.ts'

/** What is told of each refusal; the rest is looked at when the metrics are read. */
export interface AdmissionMetrics {
  shed(order: ShedOrder, reason: ShedReason): void
  cut(): void
}

export function measureAdmission(options: {
  metrics?: Metrics
  inHand: Readonly<Record<ShedOrder, number>>
  arriving: () => number
  waiting: () => number
}): AdmissionMetrics {
  const { metrics, inHand, arriving, waiting } = options
  if (metrics === undefined) return { shed: () => undefined, cut: () => undefined }
  const registers = [metrics]
  const shed = new Counter({
    name: 'gateway_overload_shed_requests_total',
    help: 'Requests refused because there was too much to do, by when their kind is shed and by reason',
    labelNames: ['order', 'reason'],
    registers,
  })
  const requests: Gauge<'order'> = new Gauge({
    name: 'gateway_overload_requests_in_hand',
    help: 'Requests that are worked on, streams and health checks aside',
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
  const bodies: Gauge = new Gauge({
    name: 'gateway_overload_bodies_under_way',
    help: 'Requests whose body has not arrived yet',
    registers,
    collect: () => bodies.set(arriving()),
  })
  const cut = new Counter({
    name: 'gateway_overload_cut_bodies_total',
    help: 'Connections cut because too many bodies were under way and theirs had taken longest',
    registers,
  })
  return { shed: (order, reason) => shed.inc({ order, reason }), cut: () => cut.inc() }
}
