import { integerParameter } from '../domain/parameters.ts'
import type { LedgerCalls } from '../ledger/rpc/ledger-rpc.ts'
import { cachedValue } from '../platform/async/cached-value.ts'
import type { Clock } from '../platform/clock.ts'
import { mapLedgerError } from './map-ledger-error.ts'

/** The newest confirmed block. */
export interface LedgerHead {
  readonly slot: number
  /** A transaction can land while this is at most its `lastValidBlockHeight`. */
  readonly blockHeight: number
  readonly epoch: number
}

export type LedgerState = ReturnType<typeof createLedgerState>

interface EpochInfo {
  absoluteSlot: number
  blockHeight: number
  epoch: number
}

const HEAD_MS = 1_000
const RENT_FRESH_MS = 60_000
const RENT_MAX_AGE_MS = 300_000
/** The ledger charges every account for this many bytes in addition to its data. */
const ACCOUNT_OVERHEAD = 128

const accountBytes = integerParameter({ min: 0, max: 10 * 1024 * 1024 })

/** Block height and rent as the node reports them. All calls throw LEDGER_UNAVAILABLE. */
export function createLedgerState(rpc: LedgerCalls, clock: Clock) {
  const head = cachedValue<LedgerHead>({
    clock,
    freshMs: HEAD_MS,
    maxAgeMs: HEAD_MS,
    load: async () => {
      const {
        absoluteSlot: slot,
        blockHeight,
        epoch,
      } = await rpc.call<EpochInfo>('getEpochInfo', [{ commitment: 'confirmed' }])
      return { slot, blockHeight, epoch }
    },
  })
  const lamportsPerByte = cachedValue({
    clock,
    freshMs: RENT_FRESH_MS,
    maxAgeMs: RENT_MAX_AGE_MS,
    load: async () => BigInt(await readRent(rpc, 0)) / BigInt(ACCOUNT_OVERHEAD),
  })
  let rentEpoch: number | null = null

  return {
    head: (): Promise<LedgerHead> => mapLedgerError(head.get()),
    /** Lamports that an account with this many bytes of data must hold. Throws INVALID_INTEGER. */
    rentExemption: async (given: number): Promise<bigint> => {
      const bytes = accountBytes('bytes', given)
      const { epoch } = await mapLedgerError(head.get())
      if (epoch !== rentEpoch) lamportsPerByte.invalidate()
      rentEpoch = epoch
      return (await mapLedgerError(lamportsPerByte.get())) * BigInt(ACCOUNT_OVERHEAD + bytes)
    },
  }
}

/** Lamports, as the node reports them now. */
export function readRent(rpc: LedgerCalls, bytes: number): Promise<number> {
  return rpc.call('getMinimumBalanceForRentExemption', [bytes, { commitment: 'confirmed' }])
}
