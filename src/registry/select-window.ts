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
    this.#items.sort(this.#compare).length = this.#end
    this.last = this.#items[this.#end - 1] ?? null
  }

  /** The items of the window, in order. */
  found(): number[] {
    return this.#items.sort(this.#compare).slice(this.#start, this.#end)
  }
}

export function selectWindow(
  items: Iterable<number>,
  compare: Compare,
  start: number,
  end: number,
): number[] {
  const selection = new WindowSelection(compare, start, end)
  for (const item of items) selection.add(item)
  return selection.found()
}
