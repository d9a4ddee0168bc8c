/** Requests whose body is still to arrive. */
export interface Arrivals {
  readonly length: number
  /** Counts one; call what it gives, once or more often, when its body is there. `cut` is to end it. */
  add(cut: () => void): () => void
}

/**
 * Holds `max` at most: one more cuts the one that has taken longest. A body that comes with its headers is never that one, so that those who send slowly
 * keep out nobody but each other.
 */
export function createArrivals(max: number, onCut: () => void): Arrivals {
  const underWay = new Set<() => void>()
  return {
    get length() {
      return underWay.size
    },
    add: (cut) => {
      const each = (): void => cut()
      underWay.add(each)
      const [longest] = underWay
      if (underWay.size > max && longest !== undefined) {
        underWay.delete(longest)
        onCut()
        longest()
      }
      return () => underWay.delete(each)
    },
  }
}
