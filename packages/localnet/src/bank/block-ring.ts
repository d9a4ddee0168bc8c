import type { Block } from './block.ts'

// As many as in the SlotHashes sysvar.
export const RING_SIZE = 512

/** The newest blocks, oldest first. There is always at least one. */
export class BlockRing {
  #blocks: Block[]

  constructor(blocks: readonly Block[]) {
    this.#blocks = blocks.slice(-RING_SIZE)
  }

  get tip(): Block {
    return this.#blocks.at(-1)!
  }

  push(block: Block): void {
    this.#blocks.push(block)
    if (this.#blocks.length > RING_SIZE) this.#blocks.shift()
  }

  byHash(blockhash: string): Block | undefined {
    return this.#blocks.findLast((block) => block.blockhash === blockhash)
  }

  /** The newest block whose slot is not later, or else the oldest block in the ring. */
  atOrBefore(slot: number): Block {
    return this.#blocks.findLast((block) => block.slot <= slot) ?? this.#blocks[0]!
  }

  dropAfter(slot: number): void {
    this.#blocks = this.#blocks.filter((block) => block.slot <= slot)
  }

  newestFirst(): Block[] {
    return this.#blocks.toReversed()
  }
}
