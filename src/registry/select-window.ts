/** Negative if the first is before the second. Never zero for two different items. */
export type Compare = (one: number, other: number) => number

/** More items than the window are kept, so that they are sorted out rarely. */
const MIN_SPARE = 1_000

/**
 * The items at the positions `start` to `end` of all items in order. Changes `items`. Takes linear
 * time for a window at the start, unless the items arrive in reverse order.
 */
export function selectWindow(items: Uint32Array, compare: Compare, start: number, end: number): Uint32Array {
  let kept = 0
  const limit = end + Math.max(end, MIN_SPARE)
  /** The last item of the window so far: later ones cannot be in it. */
  let last: number | null = null
  for (const item of items) {
    if (last !== null && compare(item, last) > 0) continue
    // Kept items are at the start: never more than were read.
    items[kept++] = item
    if (kept < limit) continue
    items.subarray(0, kept).sort(compare)
    kept = end
    last = items[end - 1]!
  }
  return items.subarray(0, kept).sort(compare).slice(start, end)
}
