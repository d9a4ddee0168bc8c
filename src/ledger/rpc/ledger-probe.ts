import { type CachedValue, cachedValue } from '../../platform/async/cached-value.ts'
import { withTimeout } from '../../platform/async/promises.ts'
import type { Clock } from '../../platform/clock.ts'
import type { LedgerCalls } from './ledger-rpc.ts'
import { LedgerRpcError } from './rpc-error.ts'

/** Ledger values for health reports. Null if the node fails or does not respond in time. */
export interface LedgerProbe {
  slot(): Promise<number | null>
  /** Lamports. */
  balance(pubkey: string): Promise<bigint | null>
  genesisHash(): Promise<string | null>
}

const TIMEOUT_MS = 2_000
const CACHE_MS = 1_000

export function createLedgerProbe(rpc: LedgerCalls, clock: Clock): LedgerProbe {
  const call = <Result>(method: string, params: unknown[] = []): Promise<Result | null> =>
    withTimeout(TIMEOUT_MS, rpc.call<Result>(method, params)).catch(() => null)
  const cached = <Value>(load: () => Promise<Value>) =>
    cachedValue({ load, freshMs: CACHE_MS, maxAgeMs: CACHE_MS, clock })
  const slot = cached(() => call<number>('getSlot', [{ commitment: 'confirmed' }]))
  const balances = new Map<string, CachedValue<bigint | null>>()
  let genesisHash: string | null = null

  return {
    slot: () => slot.get(),
    balance: (pubkey) => {
      const balance =
        balances.get(pubkey) ??
        cached(async () => {
          const result = await call<{ value: number }>('getBalance', [pubkey, { commitment: 'confirmed' }])
          return result === null ? null : BigInt(result.value)
        })
      balances.set(pubkey, balance)
      return balance.get()
    },
    genesisHash: async () => (genesisHash ??= await call<string>('getGenesisHash')),
  }
}

interface PerformanceSample {
  numSlots: number
  samplePeriodSecs: number
}

const MEASURE_MS = 600_000
/** About the last quarter of an hour. */
const SAMPLES = 15
/** Until a node has measured it: a new ledger has no sample in its first minute. */
export const UNMEASURED_SLOT_SECONDS = 0.4
/** More means that the ledger stood still for a part of the time. */
const MAX_SECONDS = 2

/**
 * Seconds per slot, as the node measured them lately. Clusters change the length of their slots.
 */
export function createSlotTime(rpc: LedgerCalls, clock: Clock): CachedValue<number> {
  return cachedValue({ clock, freshMs: MEASURE_MS, maxAgeMs: MEASURE_MS, load: () => measure(rpc) })
}

async function measure(rpc: LedgerCalls): Promise<number> {
  try {
    const samples = await rpc.call<PerformanceSample[]>('getRecentPerformanceSamples', [SAMPLES])
    const slots = samples.reduce((sum, { numSlots }) => sum + numSlots, 0)
    const seconds = samples.reduce((sum, { samplePeriodSecs }) => sum + samplePeriodSecs, 0)
    return slots > 0 && seconds <= slots * MAX_SECONDS ? seconds / slots : UNMEASURED_SLOT_SECONDS
  } catch (error) {
    if (error instanceof LedgerRpcError) return UNMEASURED_SLOT_SECONDS
    throw error
  }
}
