import type { Pubkey } from '@agent-registry/solana'
import type { Commitment } from './block.ts'
import type { TransactionRecord } from './execute.ts'

/** The transactions of a slot, or one of them, and the accounts that they changed. */
export interface SlotChanges {
  readonly slot: number
  readonly records: readonly TransactionRecord[]
  readonly touched: ReadonlySet<Pubkey>
}

/** Receives events after the state of the bank has changed. */
export interface BankListener {
  slotStarted?(slot: { slot: number; parent: number; root: number }): void
  /** Called for each transaction when it is processed, and for each block at the other levels. */
  committed?(commitment: Commitment, changes: SlotChanges): void
}

type Level = 'confirmed' | 'finalized'

/** The changes of blocks that are not finalized yet, oldest first. */
export class UnfinalizedBlocks {
  #blocks: SlotChanges[] = []
  readonly #reached: Record<Level, number>

  /** @param slot the slot of the newest finalized block */
  constructor(slot: number) {
    this.#reached = { confirmed: slot, finalized: slot }
  }

  push(changes: SlotChanges): void {
    this.#blocks.push(changes)
  }

  /** Returns the blocks that now reach the level. `slot` is the newest slot at this level. */
  advance(level: Level, slot: number): SlotChanges[] {
    const last = this.#reached[level]
    const reached = this.#blocks.filter((each) => each.slot > last && each.slot <= slot)
    this.#reached[level] = Math.max(last, slot)
    if (level === 'finalized') this.#blocks = this.#blocks.filter((each) => each.slot > slot)
    return reached
  }

  /** Removes the blocks after the slot and returns them. */
  dropAfter(slot: number): SlotChanges[] {
    const dropped = this.#blocks.filter((each) => each.slot > slot)
    this.#blocks = this.#blocks.filter((each) => each.slot <= slot)
    this.#reached.confirmed = Math.min(this.#reached.confirmed, slot)
    return dropped
  }
}
