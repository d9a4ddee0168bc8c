/** The calls that all searches of one pass may make. */
export class CallBudget {
  #remaining: number

  constructor(calls: number) {
    this.#remaining = calls
  }

  /** False if no call is left. */
  take(): boolean {
    this.#remaining -= 1
    return this.#remaining >= 0
  }
}
