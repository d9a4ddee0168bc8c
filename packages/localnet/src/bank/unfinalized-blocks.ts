import type { BlockContent } from './events.ts'

type Level = 'confirmed' | 'finalized'

/** Blocks on their way to finality, oldest first. */
export class UnfinalizedBlocks {
  #blocks: BlockContent[] = []
  readonly #reached: Record<Level, number>

  /** @param slot of the newest block that is final already */
  constructor(slot: number) {
    this.#reached = { confirmed: slot, finalized: slot }
  }

  push(content: BlockContent): void {
    this.#blocks.push(content)
  }

  /** Returns the blocks that reach the level with this slot and did not before. */
  advance(level: Level, slot: number): BlockContent[] {
    const last = this.#reached[level]
    const arrived = this.#blocks.filter(({ block }) => block.slot > last && block.slot <= slot)
    this.#reached[level] = Math.max(last, slot)
    if (level === 'finalized') this.#blocks = this.#blocks.filter(({ block }) => block.slot > slot)
    return arrived
  }

  /** Takes the blocks after the slot away and returns them. */
  dropAfter(slot: number): BlockContent[] {
    const dropped = this.#blocks.filter(({ block }) => block.slot > slot)
    this.#blocks = this.#blocks.filter(({ block }) => block.slot <= slot)
    this.#reached.confirmed = Math.min(this.#reached.confirmed, slot)
    return dropped
  }
}
