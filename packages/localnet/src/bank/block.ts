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
