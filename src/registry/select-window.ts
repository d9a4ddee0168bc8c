/** Negative if the first is before the second. Never zero for two different items. */
export type Compare = (one: number, other: number) => number

/** More items than the window are kept, so that they are sorted out rarely. */
const MIN_SPARE = 1_000

/**
 * Finds the items at the positions `start` to `end` of all items in order. Takes linear time for a
 * window at the start, unless the items arrive in reverse order.
 */
export class WindowSelection {
  /** The last item of the window so far: later ones cannot be in it. */
  last: number | null = null
  readonly #items: number[] = []
  readonly #compare: Compare
  readonly #start: number
  readonly #end: number
  readonly #limit: number

  constructor(compare: Compare, start: number, end: number) {
    this.#compare = compare
    this.#start = start
    this.#end = end
    this.#limit = end + Math.max(end, MIN_SPARE)
  }

  add(item: number): void {
    if (this.last !== null && this.#compare(item, this.last) > 0) return
    if (this.#items.push(item) < this.#limit) return
    moveFirst(this.#items, this.#end, this.#compare)
    this.#items.length = this.#end
    moveFirst(this.#items, this.#end - 1, this.#compare)
    this.last = this.#items[this.#end - 1] ?? null
  }

  /** The items of the window, in order. */
  found(): number[] {
    const items = this.#items
    moveFirst(items, this.#end, this.#compare)
    items.length = Math.min(items.length, this.#end)
    moveFirst(items, this.#start, this.#compare)
    return items.slice(this.#start).sort(this.#compare)
  }
}

/** Partitions until sorting is faster. More are needed only for an order made to be slow. */
const MAX_PARTITIONS = 40
const FEW = 32

/** Moves the first `count` items to the start, in no order, which is faster than sorting all. */
function moveFirst(items: number[], count: number, compare: Compare): void {
  let [from, to] = [0, items.length]
  for (let i = 0; i < MAX_PARTITIONS && count > from && count < to && to - from > FEW; i++) {
    const position = partition(items, from, to, compare)
    if (position < count) from = position + 1
    else to = position
  }
  if (count <= from || count >= to) return
  const rest = items.slice(from, to).sort(compare)
  for (const [i, item] of rest.entries()) items[from + i] = item
}

/** Moves items that are before the one in the middle to its left. Returns its position. */
function partition(items: number[], from: number, to: number, compare: Compare): number {
  const last = to - 1
  const middle = (from + last) >> 1
  const pivot = items[middle]!
  items[middle] = items[last]!
  let position = from
  for (let i = from; i < last; i++) {
    const item = items[i]!
    if (compare(item, pivot) >= 0) continue
    items[i] = items[position]!
    items[position++] = item
  }
  items[last] = items[position]!
  items[position] = pivot
  return position
}
