import { Gauge } from 'prom-client'
import type { Metrics } from '../../platform/metrics/metrics.ts'
import type { NodeState } from './node-pool.ts'

const STATES: readonly NodeState[] = ['healthy', 'paused', 'refused']

/** Labels nodes by their position in SOLANA_RPC_URL, because URLs may contain keys. */
export function exposeLedgerNodes(nodes: () => readonly NodeState[], metrics: Metrics): void {
  const gauge: Gauge<'state' | 'node'> = new Gauge({
    name: 'gateway_ledger_node',
    help: '1 for the current state of a ledger node: healthy, paused after a failure, or refused because it is on another ledger',
    labelNames: ['state', 'node'],
    registers: [metrics],
    collect: () => {
      for (const [i, current] of nodes().entries())
        for (const state of STATES) gauge.set({ node: i + 1, state }, Number(state === current))
    },
  })
}
