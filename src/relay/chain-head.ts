import type { LedgerCalls } from '../ledger/rpc/ledger-rpc.ts'
import { type CachedValue, cachedValue } from '../platform/async/cached-value.ts'
import type { Clock } from '../platform/clock.ts'

/** A blockhash is valid for this many blocks after its own. */
const BLOCKHASH_LIFETIME = 150
const FRESH_MS = 1_000
const MAX_AGE_MS = 5_000

export interface ChainHead {
  readonly blockhash: string
  readonly lastValidBlockHeight: number
  /** The slot at which the node returned the hash. */
  readonly slot: number
  /** The height of the block with this hash. */
  readonly blockHeight: number
}

interface LatestBlockhash {
  context: { slot: number }
  value: { blockhash: string; lastValidBlockHeight: number }
}

/** The latest confirmed block. A finalized blockhash would have lost a fifth of its lifetime. */
export function createChainHead(rpc: LedgerCalls, clock: Clock): CachedValue<ChainHead> {
  return cachedValue({
    clock,
    freshMs: FRESH_MS,
    maxAgeMs: MAX_AGE_MS,
    load: async () => {
      const { context, value } = await rpc.call<LatestBlockhash>('getLatestBlockhash', [
        { commitment: 'confirmed' },
      ])
      return { ...value, slot: context.slot, blockHeight: value.lastValidBlockHeight - BLOCKHASH_LIFETIME }
    },
  })
}
