import type { Clock } from '../../platform/clock.ts'

/** The calls and the time that all searches of one pass may use. */
export class SearchBudget {
  readonly #clock: Clock
  readonly #until: number
  #calls: number

  /** `until`: ms since the epoch. */
  constructor(calls: number, clock: Clock, until: number) {
    this.#calls = calls
    this.#clock = clock
    this.#until = until
  }

  /** Whether the time is over. */
  get isOver(): boolean {
    return this.#clock.now() >= this.#until
  }

  /** False if no call is left. */
  take(): boolean {
    this.#calls -= 1
    return this.#calls >= 0 && !this.isOver
  }
}
