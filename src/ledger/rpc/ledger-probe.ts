import type { Clock } from '../../platform/clock.ts'
import { recent } from '../../platform/async/recent.ts'
import { within } from '../../platform/async/within.ts'

/** The part of the ledger's RPC client that the health reports need. */
export interface LedgerCalls {
  call<Result>(method: string, params?: unknown[]): Promise<Result>
}

/** Short looks at the ledger: no answer in time, or an error, is null. Answers are shared for a second. */
export interface LedgerProbe {
  slot(): Promise<number | null>
  /** Lamports. */
  balance(pubkey: string): Promise<bigint | null>
  genesisHash(): Promise<string | null>
}

const TIMEOUT_MS = 2_000
const SHARED_MS = 1_000

export function createLedgerProbe(rpc: LedgerCalls, clock: Clock, timeoutMs = TIMEOUT_MS): LedgerProbe {
  const ask = <Result>(method: string, params: unknown[] = []): Promise<Result | null> =>
    within(timeoutMs, rpc.call<Result>(method, params))
  const balances = new Map<string, () => Promise<bigint | null>>()
  let genesisHash: string | null = null

  return {
    slot: recent(SHARED_MS, clock, () => ask<number>('getSlot', [{ commitment: 'confirmed' }])),
    balance: (pubkey) => {
      const known = balances.get(pubkey)
      if (known !== undefined) return known()
      const read = recent(SHARED_MS, clock, async () => {
        const balance = await ask<{ value: number }>('getBalance', [pubkey, { commitment: 'confirmed' }])
        return balance === null ? null : BigInt(balance.value)
      })
      balances.set(pubkey, read)
      return read()
    },
    genesisHash: async () => (genesisHash ??= await ask<string>('getGenesisHash')),
  }
}
