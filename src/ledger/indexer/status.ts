import type { Clock } from '../../platform/clock.ts'
import { UNMEASURED_SLOT_SECONDS } from '../rpc/ledger-probe.ts'
import { Counter } from 'prom-client'
import { addGauge, addLabelledGauge, type Metrics } from '../../platform/metrics/metrics.ts'

export const INDEXER_PHASES = ['starting', 'standby', 'backfilling', 'live', 'stopped'] as const
export type IndexerPhase = (typeof INDEXER_PHASES)[number]

export interface IndexerStatus {
  phase: IndexerPhase
  /** The tables contain everything up to this slot. */
  cursorSlot: number
  /** The newest known slot of the ledger, at the indexer's commitment. */
  tipSlot: number
  /** The length of a slot, as the node measured it. */
  slotSeconds: number
  lagSlots: number
  /** Seconds since the tables last contained everything. Before that, estimated from `lagSlots`. */
  lagSeconds: number
  /** When the tables last contained everything, in Unix milliseconds. */
  caughtUpAt: number | null
  /** Everything up to this slot was compared with the finalized ledger. */
  finalizedSlot: number
  deadLetters: number
  subscribed: boolean
  /** Since when the node or the database has failed, in ISO 8601. */
  failingSince: string | null
  counters: IndexerCounters
}

/** What is counted since the start of this process. */
const COUNTERS = {
  transactions: 'Transactions read from the ledger and written',
  events: 'Registry events written',
  finalized: 'Transactions that were read before they were final, and have become final',
  orphaned: 'Written transactions that a fork removed',
  late: 'Final transactions that only the finality check found',
  failures: 'Failures of the node or the database that led to a retry',
}

type IndexerCounters = Record<keyof typeof COUNTERS, number>

export const initialStatus = (): IndexerStatus => ({
  phase: 'starting',
  cursorSlot: 0,
  tipSlot: 0,
  slotSeconds: UNMEASURED_SLOT_SECONDS,
  lagSlots: 0,
  lagSeconds: 0,
  caughtUpAt: null,
  finalizedSlot: 0,
  deadLetters: 0,
  subscribed: false,
  failingSince: null,
  counters: { transactions: 0, events: 0, orphaned: 0, finalized: 0, late: 0, failures: 0 },
})

export function recordFailure(status: IndexerStatus, clock: Clock): void {
  status.counters.failures += 1
  status.failingSince ??= new Date(clock.now()).toISOString()
}

/** A copy with the current lag. */
export function withLag(status: IndexerStatus, clock: Clock): IndexerStatus {
  const { tipSlot, cursorSlot, slotSeconds, caughtUpAt, counters } = status
  const lagSlots = Math.max(0, tipSlot - cursorSlot)
  const lagSeconds =
    caughtUpAt === null ? lagSlots * slotSeconds : Math.max(0, clock.now() - caughtUpAt) / 1_000
  return { ...status, counters: { ...counters }, lagSlots, lagSeconds }
}

const GAUGES: Record<string, [help: string, read: (status: IndexerStatus) => number]> = {
  cursor_slot: ['The tables contain everything up to this slot', (now) => now.cursorSlot],
  tip_slot: ['The newest known slot of the ledger', (now) => now.tipSlot],
  finalized_slot: [
    'Everything up to this slot was compared with the finalized ledger',
    (now) => now.finalizedSlot,
  ],
  lag_slots: ['Slots between the tables and the tip of the ledger', (now) => now.lagSlots],
  lag_seconds: ['Seconds since the tables last contained everything', (now) => now.lagSeconds],
  dead_letters: ['Data of the ledger that could not be read', (now) => now.deadLetters],
  subscribed: ['1 while the node announces transactions by WebSocket', (now) => Number(now.subscribed)],
  failing: ['1 while the node or the database fails', (now) => Number(now.failingSince !== null)],
}

/** Exposes the indexer's status as metrics. Reads it when the metrics are collected. */
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
  for (const [name, [help, read]] of Object.entries(GAUGES))
    addGauge(metrics, { name: `gateway_indexer_${name}`, help }, () => read(status()))
  const phases = {
    name: 'gateway_indexer_phase',
    help: '1 for the current phase of the indexer in this process',
    label: 'phase',
  }
  addLabelledGauge(metrics, phases, () => {
    const current = status().phase
    return Object.fromEntries(INDEXER_PHASES.map((phase) => [phase, Number(phase === current)]))
  })
}
