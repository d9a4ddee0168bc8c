import { Counter } from 'prom-client'
import { addGauge, type Metrics } from '../platform/metrics/metrics.ts'

export interface RegistryStatus {
  /** Whether the copy answers reads. */
  readonly ready: boolean
  readonly agents: number
  readonly stakes: number
  /** Whether searches by name are answered too. */
  readonly searches: boolean
  /** Memory of the rows, their orders and their names, estimated. */
  readonly bytes: number
  /** How long the last complete reading took. */
  readonly loadMs: number
}

const GAUGES: Record<string, [help: string, read: (status: RegistryStatus) => number]> = {
  ready: ['1 while reads of agents and stakes are answered from memory', (now) => Number(now.ready)],
  searches: ['1 while searches by name are answered from memory', (now) => Number(now.searches)],
  agents: ['Agents in memory', (now) => now.agents],
  stakes: ['Stakes in memory', (now) => now.stakes],
  bytes: ['Memory of these rows, estimated', (now) => now.bytes],
  load_seconds: ['Time of the last complete reading', (now) => now.loadMs / 1_000],
}

/** Exposes the status of the copy. The function that it returns counts a read. */
export function exposeRegistry(
  status: () => RegistryStatus,
  metrics: Metrics,
): (source: 'memory' | 'database') => void {
  for (const [name, [help, read]] of Object.entries(GAUGES))
    addGauge(metrics, { name: `gateway_registry_${name}`, help }, () => read(status()))
  const reads = new Counter({
    name: 'gateway_registry_reads_total',
    help: 'Reads of agents and stakes, by what answered them',
    labelNames: ['source'],
    registers: [metrics],
  })
  return (source) => reads.inc({ source })
}
