import { Counter, Gauge } from 'prom-client'
import type { Metrics } from '../../platform/metrics/metrics.ts'
import type { IndexerCounters, IndexerPhase, IndexerStatus } from './status.ts'

const PHASES: readonly IndexerPhase[] = ['starting', 'standby', 'backfilling', 'live', 'stopped']

const COUNTERS: Record<keyof IndexerCounters, string> = {
  transactions: 'Transactions read from the ledger and written',
  events: 'Events of the registry written',
  finalized: 'Transactions read before they were final, and found final since',
  orphaned: 'Transactions that a fork took back after they were written',
  late: 'Final transactions that only the check of finality found',
  failures: 'Times that the node or the database failed, and the work was done again',
}

/** Shows the indexer at `GET /metrics`; everything is read when asked for. */
export function exposeIndexer(status: () => IndexerStatus, metrics: Metrics): void {
  const registers = [metrics]
  for (const [name, help] of Object.entries(COUNTERS) as [keyof IndexerCounters, string][]) {
    const counter = new Counter({
      name: `gateway_indexer_${name}_total`,
      help,
      registers,
      collect: () => {
        counter.reset()
        counter.inc(status().counters[name])
      },
    })
  }
  const gauge = (name: string, help: string, read: (now: IndexerStatus) => number): void => {
    const shown: Gauge = new Gauge({
      name: `gateway_indexer_${name}`,
      help,
      registers,
      collect: () => shown.set(read(status())),
    })
  }
  gauge('cursor_slot', 'Everything up to this slot is in the tables', (now) => now.cursorSlot)
  gauge('tip_slot', 'The newest slot that the node showed', (now) => now.tipSlot)
  gauge(
    'finalized_slot',
    'Everything up to this slot was compared with the finalized ledger',
    (now) => now.finalizedSlot,
  )
  gauge('lag_slots', 'Slots that the tables are behind', (now) => now.lagSlots)
  gauge('lag_seconds', 'Seconds since the tables last held all that the node showed', (now) => now.lagSeconds)
  gauge('dead_letters', 'What could not be read from the ledger', (now) => now.deadLetters)
  gauge('subscribed', '1 while the node announces transactions by WebSocket', (now) => Number(now.subscribed))
  gauge('failing', '1 while the node or the database cannot be worked with', (now) =>
    Number(now.failingSince !== null),
  )
  const phase: Gauge<'phase'> = new Gauge({
    name: 'gateway_indexer_phase',
    help: '1 for what the indexer of this process is at',
    labelNames: ['phase'],
    registers,
    collect: () => {
      const now = status().phase
      for (const each of PHASES) phase.set({ phase: each }, Number(each === now))
    },
  })
}
