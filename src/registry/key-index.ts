import { bytesOf, type Bytes, compareBytes, type PackedRows } from './packed-rows.ts'

/** Typed arrays, so that a thread can hand them over. */
export interface KeyData {
  readonly field: number
  /** Not known outside, so that nobody can choose keys that are all in one list. */
  readonly seed: number
  /** By hash: one more than the first slot of a list, or 0. */
  readonly heads: Uint32Array
  /** By slot: one more than its neighbours in the list, or 0. */
  readonly next: Uint32Array
  readonly previous: Uint32Array
}

/** Longer lists are not read to their end. */
const MAX_LOOKED_AT = 20_000
const FNV_PRIME = 16_777_619

/** Slots by a value of their rows. */
export class KeyIndex {
  readonly data: KeyData
  readonly #rows: PackedRows

  constructor(rows: PackedRows, data: KeyData) {
    this.#rows = rows
    this.data = data
  }

  add(slot: number): void {
    const { field, heads, next, previous } = this.data
    const hash = this.#hashOf(this.#rows.find(slot, field))
    const head = heads[hash]!
    next[slot] = head
    previous[slot] = 0
    if (head > 0) previous[head - 1] = slot + 1
    heads[hash] = slot + 1
  }

  /** Its row must still be there. */
  remove(slot: number): void {
    const { field, heads, next, previous } = this.data
    const [before, after] = [previous[slot]!, next[slot]!]
    if (before > 0) next[before - 1] = after
    else heads[this.#hashOf(this.#rows.find(slot, field))] = after
    if (after > 0) previous[after - 1] = before
  }

  /** The slot of a value that no other row has, or -1. */
  first(value: string): number {
    return this.all(value, 1)?.[0] ?? -1
  }

  /** Undefined if there are too many to look at. */
  all(value: string, limit = Infinity): number[] | undefined {
    const { field, heads, next } = this.data
    const key = bytesOf(value)
    const slots: number[] = []
    let lookedAt = 0
    for (let at = heads[this.#hashOf(key)]!; at > 0 && slots.length < limit; at = next[at - 1]!) {
      if (++lookedAt > MAX_LOOKED_AT) return undefined
      if (compareBytes(this.#rows.find(at - 1, field), key) === 0) slots.push(at - 1)
    }
    return slots
  }

  #hashOf({ bytes, from, to }: Bytes): number {
    let hash = this.data.seed
    for (let i = from; i < to; i++) hash = Math.imul(hash ^ bytes[i]!, FNV_PRIME)
    return (hash ^ (hash >>> 15)) & (this.data.heads.length - 1)
  }
}

export function emptyKeyIndex(rows: PackedRows, field: number): KeyIndex {
  const { capacity } = rows
  return new KeyIndex(rows, {
    field,
    seed: Math.floor(Math.random() * 2 ** 32),
    heads: new Uint32Array(2 ** Math.ceil(Math.log2(capacity))),
    next: new Uint32Array(capacity),
    previous: new Uint32Array(capacity),
  })
}
