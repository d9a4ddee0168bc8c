import type { Clock } from '../options.ts'

/** The time of the ledger: the wall clock plus an offset. It never goes back. */
export class SlotTime {
  /** Seconds. */
  offset: number
  readonly #clock: Clock
  #last: number

  /** @param last the time of the newest block in Unix seconds */
  constructor(clock: Clock, last: number, offset: number) {
    this.#clock = clock
    this.#last = last
    this.offset = offset
  }

  /** Unix seconds. */
  next(): number {
    this.#last = Math.max(this.#last, Math.floor(this.#clock.now() / 1000) + this.offset)
    return this.#last
  }
}
