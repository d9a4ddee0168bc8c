import { Counter, Gauge } from 'prom-client'
import type { Metrics } from '../../platform/metrics/metrics.ts'
import type { IndexStatus } from './protocol.ts'

const GAUGES: Record<string, [help: string, read: (status: IndexStatus) => number]> = {
  ready: ['1 while the index answers searches by name', (now) => Number(now.ready)],
  names: ['Names in the index', (now) => now.names],
  bytes: ['Memory of the thread of the index', (now) => now.bytes],
}

/** Exposes the status of the index. The function that it returns counts a search of the index. */
export function exposeSearchIndex(
  status: () => IndexStatus,
  metrics: Metrics,
): (outcome: 'answered' | 'unavailable') => void {
  const registers = [metrics]
  for (const [name, [help, read]] of Object.entries(GAUGES)) {
    const gauge: Gauge = new Gauge({
      name: `gateway_search_index_${name}`,
      help,
      registers,
      collect: () => gauge.set(read(status())),
    })
  }
  const searches = new Counter({
    name: 'gateway_search_index_searches_total',
    help: 'Searches of the index. PostgreSQL searches if it is unavailable',
    labelNames: ['outcome'],
    registers,
  })
  return (outcome) => searches.inc({ outcome })
}
