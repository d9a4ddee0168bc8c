import { type CachedValue, cachedValue } from '../../platform/async/cached-value.ts'
import type { Clock } from '../../platform/clock.ts'
import type { LedgerCalls } from './ledger-rpc.ts'
import { LedgerRpcError } from './rpc-error.ts'

interface PerformanceSample {
  numSlots: number
  samplePeriodSecs: number
}

const MEASURE_MS = 600_000
/** About the last quarter of an hour. */
const SAMPLES = 15
/** Until a node has measured it: a new ledger has no sample in its first minute. */
export const UNMEASURED_SLOT_SECONDS = 0.4

/** Seconds per slot, as the node measured them lately. Clusters change the length of their slots. */
export function createSlotTime(rpc: LedgerCalls, clock: Clock): CachedValue<number> {
  return cachedValue({ clock, freshMs: MEASURE_MS, maxAgeMs: MEASURE_MS, load: () => measure(rpc) })
}

async function measure(rpc: LedgerCalls): Promise<number> {
  try {
    const samples = await rpc.call<PerformanceSample[]>('getRecentPerformanceSamples', [SAMPLES])
    const slots = samples.reduce((sum, { numSlots }) => sum + numSlots, 0)
    const seconds = samples.reduce((sum, { samplePeriodSecs }) => sum + samplePeriodSecs, 0)
    return slots > 0 ? seconds / slots : UNMEASURED_SLOT_SECONDS
  } catch (error) {
    if (error instanceof LedgerRpcError) return UNMEASURED_SLOT_SECONDS
    throw error
  }
}
