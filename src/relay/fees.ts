import type { Pubkey } from '@agent-registry/solana'
import type { Clock } from '../platform/clock.ts'
import { cachedValue } from '../platform/async/cached-value.ts'
import { PRIORITY_LEVELS, type PriorityLevel, RELAY_POLICY } from './policy.ts'
import type { LedgerCalls } from '../ledger/rpc/ledger-rpc.ts'

/** Micro-lamports per compute unit. */
export type FeeEstimate = Readonly<Record<PriorityLevel, number>>

export interface FeeSamples {
  /** What any transaction pays now; nobody waits for it once it is known. The floors where the node gives no samples. */
  current(): Promise<FeeEstimate>
  /** What a transaction pays that writes these accounts. */
  writing(accounts: readonly Pubkey[]): Promise<FeeEstimate>
}

const FRESH_MS = 2_000
/** Fees of a minute ago are better than none. */
const USABLE_MS = 60_000

export function createFeeSamples(rpc: LedgerCalls, clock: Clock): FeeSamples {
  const sample = async (accounts: readonly Pubkey[]): Promise<number[]> => {
    const slots = await rpc.call<{ prioritizationFee: number }[]>('getRecentPrioritizationFees', [accounts])
    return slots.map((each) => each.prioritizationFee)
  }
  const overall = cachedValue({ clock, freshMs: FRESH_MS, maxAgeMs: USABLE_MS, load: () => sample([]) })
  return {
    current: async () => estimate(await overall.get().catch(() => [])),
    writing: async (accounts) => {
      if (accounts.length === 0) return estimate(await overall.get())
      const samples = await sample(accounts)
      return estimate(samples.length > 0 ? samples : await overall.get())
    },
  }
}

/** Percentiles by nearest rank, within floor and ceiling. Samples come in the order of slots. */
export function estimate(samples: readonly number[]): FeeEstimate {
  const sorted = samples.toSorted((a, b) => a - b)
  const { ceiling, ...levels } = RELAY_POLICY.priorityFee
  const fee = (level: PriorityLevel): number => {
    const { percentile, floor } = levels[level]
    const rank = Math.max(1, Math.ceil((percentile / 100) * sorted.length))
    return Math.min(Math.max(sorted[rank - 1] ?? 0, floor), ceiling)
  }
  return Object.fromEntries(PRIORITY_LEVELS.map((level) => [level, fee(level)])) as FeeEstimate
}
