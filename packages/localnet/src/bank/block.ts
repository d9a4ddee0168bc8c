import { encodeBase58 } from '@agent-registry/solana'
import { createHash } from 'node:crypto'

export interface Block {
  readonly slot: number
  readonly parentSlot: number
  /** The number of blocks before this one. Skipped slots make it smaller than the slot. */
  readonly height: number
  /** Base-58. */
  readonly blockhash: string
  readonly previousBlockhash: string
  /** Unix seconds. */
  readonly time: number
}

export type Commitment = 'processed' | 'confirmed' | 'finalized'

/** The number of blocks after its own in which a blockhash is valid. */
export const BLOCKHASH_LIFE = 150

export function nextBlockhash(parent: Block, slot: number, signatures: Iterable<string>): string {
  const hash = createHash('sha256').update(parent.blockhash).update(String(slot))
  for (const signature of signatures) hash.update(signature)
  return encodeBase58(hash.digest())
}

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
