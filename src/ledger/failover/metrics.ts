import { Gauge } from 'prom-client'
import type { Metrics } from '../../platform/metrics/metrics.ts'
import type { NodeState } from './node-pool.ts'

const STATES: readonly NodeState[] = ['well', 'resting', 'refused']

/** Shows each of several ledger nodes at `GET /metrics`, by its place in SOLANA_RPC_URL: URLs may hold keys. */
export function exposeLedgerNodes(nodes: () => readonly NodeState[], metrics: Metrics): void {
  const gauge: Gauge<'state' | 'node'> = new Gauge({
    name: 'gateway_ledger_node',
    help: '1 for what a ledger node is: well, resting after a failure, or refused since it is on another ledger',
    labelNames: ['state', 'node'],
    registers: [metrics],
    collect: () => {
      for (const [i, now] of nodes().entries())
        for (const state of STATES) gauge.set({ node: i + 1, state }, Number(state === now))
    },
  })
}
