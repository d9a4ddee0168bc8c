import type { SlotHash } from '../vm/vm.ts'
import type { Block } from './block.ts'

// As many as the SlotHashes sysvar shows.
export const RING_SIZE = 512

/** The newest blocks, oldest first. There is always at least one. */
export class BlockRing {
  #blocks: Block[]
  readonly #byHash = new Map<string, Block>()

  constructor(blocks: readonly [Block, ...Block[]] | readonly Block[]) {
    this.#blocks = blocks.slice(-RING_SIZE)
    for (const block of this.#blocks) this.#byHash.set(block.blockhash, block)
  }

  get tip(): Block {
    return this.#blocks.at(-1) as Block
  }

  push(block: Block): void {
    this.#blocks.push(block)
    this.#byHash.set(block.blockhash, block)
    if (this.#blocks.length > RING_SIZE) this.#byHash.delete(this.#blocks.shift()?.blockhash ?? '')
  }

  byHash(blockhash: string): Block | undefined {
    return this.#byHash.get(blockhash)
  }

  /** The newest block that is not after the slot, or the oldest one kept. */
  atOrBefore(slot: number): Block {
    for (let index = this.#blocks.length - 1; index > 0; index -= 1) {
      const block = this.#blocks[index] as Block
      if (block.slot <= slot) return block
    }
    return this.#blocks[0] as Block
  }

  dropAfter(slot: number): void {
    while (this.tip.slot > slot) this.#byHash.delete(this.#blocks.pop()?.blockhash ?? '')
  }

  slotHashes(): SlotHash[] {
    return this.#blocks.map(({ slot, blockhash }) => ({ slot, hash: blockhash })).toReversed()
  }
}
