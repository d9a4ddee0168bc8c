import { type CachedValue, cachedValue } from '../../platform/async/cached-value.ts'
import { withTimeout } from '../../platform/async/promises.ts'
import type { Clock } from '../../platform/clock.ts'
import type { LedgerCalls } from './ledger-rpc.ts'

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
