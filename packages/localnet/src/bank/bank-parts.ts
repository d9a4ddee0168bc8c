import type { LedgerStore } from '../store/ledger-store.ts'
import type { Vm } from '../vm/vm.ts'
import type { BlockRing } from './block-ring.ts'
import type { SlotTime } from './slot-time.ts'

/** What a bank is made of. */
export interface BankParts {
  readonly vm: Vm
  readonly store: LedgerStore
  readonly ring: BlockRing
  readonly time: SlotTime
  /** The first slot to make; later than every block in the ring. */
  readonly slot: number
  /** Slots after which a block counts as confirmed, at least 1. */
  readonly confirmedDepth: number
  /** Slots after which a block counts as finalized. */
  readonly finalizedDepth: number
}
