import type { Clock } from '../platform/clock.ts'
import { type CachedValue, cachedValue } from '../platform/async/cached-value.ts'
import type { LedgerCalls } from '../ledger/rpc/ledger-rpc.ts'

/** A blockhash may be used in this many blocks after its own. */
const BLOCKHASH_LIFE = 150
const FRESH_MS = 1_000
const USABLE_MS = 5_000

export interface ChainHead {
  readonly blockhash: string
  readonly lastValidBlockHeight: number
  /** Of the block whose hash this is. */
  readonly blockHeight: number
}

/** The newest confirmed block. At `finalized` a blockhash would have lost a fifth of its life. */
export function createChainHead(rpc: LedgerCalls, clock: Clock): CachedValue<ChainHead> {
  return cachedValue({
    clock,
    freshMs: FRESH_MS,
    maxAgeMs: USABLE_MS,
    load: async () => {
      const { value } = await rpc.call<{ value: { blockhash: string; lastValidBlockHeight: number } }>(
        'getLatestBlockhash',
        [{ commitment: 'confirmed' }],
      )
      return { ...value, blockHeight: value.lastValidBlockHeight - BLOCKHASH_LIFE }
    },
  })
}
