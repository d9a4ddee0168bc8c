import { Counter, Gauge } from 'prom-client'
import type { Metrics } from '../metrics/metrics.ts'
import type { Priority } from './priority.ts'

interface AdmissionState {
  readonly inFlight: Readonly<Record<Priority, number>>
  readonly waiting: () => number
}

export function measureAdmission(metrics: Metrics, { inFlight, waiting }: AdmissionState) {
  const registers = [metrics]
  const gauge = (name: string, help: string, read: () => number): Gauge => {
    const created: Gauge = new Gauge({ name, help, registers, collect: () => created.set(read()) })
    return created
  }
  gauge('gateway_database_queue_length', 'Work waiting for a database connection', waiting)
  const requests: Gauge<'priority'> = new Gauge({
    name: 'gateway_requests_in_flight',
    help: 'Requests being handled, without open streams and health checks',
    labelNames: ['priority'],
    registers,
    collect: () => {
      for (const [priority, count] of Object.entries(inFlight)) requests.set({ priority }, count)
    },
  })
  return {
    shed: new Counter({
      name: 'gateway_requests_shed_total',
      help: 'Requests refused with 503 because of overload, by priority and reason',
      labelNames: ['priority', 'reason'],
      registers,
    }),
  }
}
