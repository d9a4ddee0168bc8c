import { LRUCache } from 'lru-cache'
import type { Versions } from '../../../src/domain/read-versions.ts'

/** An answer with status 200 as its client gets it. */
export interface Answer {
  readonly body: Buffer
  readonly mediaType: string
  readonly tag: string
}

/** Answers by key, each with the versions of its tables; those not used for longest are dropped first. */
export type KeptAnswers = LRUCache<string, { readonly answer: Answer; readonly label: Versions }>

/** What an entry takes beside its body and its key: the objects that hold them, roughly. */
const OVERHEAD_BYTES = 512

/** Keeps answers up to a number of bytes in all. */
export function createKeptAnswers(maxBytes: number): KeptAnswers {
  return new LRUCache({
    maxSize: maxBytes,
    sizeCalculation: ({ answer }, key) => answer.body.byteLength + 2 * key.length + OVERHEAD_BYTES,
  })
}
