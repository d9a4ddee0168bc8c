import { DomainError } from '../domain/errors.ts'
import { pubkeyParameter } from '../domain/parameters.ts'
import type { LedgerCalls } from '../ledger/rpc/ledger-rpc.ts'
import { cachedValue } from '../platform/async/cached-value.ts'
import type { Clock } from '../platform/clock.ts'
import { mapLedgerError } from './ledger-state.ts'
import { PRIORITY_LEVELS, type PriorityLevel, RELAY_POLICY } from './limits.ts'

/** Micro-lamports per compute unit. */
export type FeeEstimate = Readonly<Record<PriorityLevel, number>>

export interface EstimateFeesInput {
  readonly accountKeys?: readonly string[] | null
}

const FRESH_MS = 2_000
const MAX_AGE_MS = 60_000

export function createPriorityFees(rpc: LedgerCalls, clock: Clock) {
  const fetchSamples = async (accounts: readonly string[]): Promise<number[]> => {
    const slots = await rpc.call<{ prioritizationFee: number }[]>('getRecentPrioritizationFees', [accounts])
    return slots.map((each) => each.prioritizationFee)
  }
  const allSamples = cachedValue({
    clock,
    freshMs: FRESH_MS,
    maxAgeMs: MAX_AGE_MS,
    load: () => fetchSamples([]),
  })
  return {
    /** For any transaction, from a cache. The floors of the policy if no node responds. */
    current: async (): Promise<FeeEstimate> => toEstimate(await allSamples.get().catch(() => [])),

    /**
     * For a transaction that writes these accounts. Throws ACCOUNT_KEYS_REQUIRED,
     * TOO_MANY_ACCOUNT_KEYS, INVALID_PUBKEY, LEDGER_UNAVAILABLE.
     */
    estimate: async ({ accountKeys }: EstimateFeesInput): Promise<FeeEstimate> => {
      if (accountKeys === undefined || accountKeys === null) throw new DomainError('ACCOUNT_KEYS_REQUIRED')
      const max = RELAY_POLICY.maxFeeAccounts
      if (accountKeys.length > max)
        throw new DomainError('TOO_MANY_ACCOUNT_KEYS', { count: accountKeys.length, max })
      const keys = new Set(accountKeys.map((key, i) => pubkeyParameter(`accountKeys[${i}]`, key)))
      const samples = keys.size === 0 ? [] : await mapLedgerError(fetchSamples([...keys]))
      return toEstimate(samples.length > 0 ? samples : await mapLedgerError(allSamples.get()))
    },
  }
}

/** Percentiles by nearest rank, between floor and ceiling. */
export function toEstimate(samples: readonly number[]): FeeEstimate {
  const sorted = samples.toSorted((a, b) => a - b)
  const { ceiling, ...levels } = RELAY_POLICY.priorityFee
  const fee = (level: PriorityLevel): number => {
    const { percentile, floor } = levels[level]
    const rank = Math.max(1, Math.ceil((percentile / 100) * sorted.length))
    return Math.min(Math.max(sorted[rank - 1] ?? 0, floor), ceiling)
  }
  return Object.fromEntries(PRIORITY_LEVELS.map((level) => [level, fee(level)])) as FeeEstimate
}
