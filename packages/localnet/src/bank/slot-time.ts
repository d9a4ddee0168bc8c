import type { Clock } from '../options.ts'

/** The time that the ledger shows: the wall clock plus what was warped, never running backwards. */
export class SlotTime {
  readonly #clock: Clock
  #offset: number
  #last: number

  /**
   * @param last Unix seconds of the newest block
   * @param offset seconds warped so far
   */
  constructor(clock: Clock, last: number, offset: number) {
    this.#clock = clock
    this.#last = last
    this.#offset = offset
  }

  get offset(): number {
    return this.#offset
  }

  warp(seconds: number): void {
    this.#offset += seconds
  }

  /** Unix seconds. */
  next(): number {
    this.#last = Math.max(this.#last, Math.floor(this.#clock.now() / 1000) + this.#offset)
    return this.#last
  }
}
