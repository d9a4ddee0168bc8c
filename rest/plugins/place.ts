const nothing = (): void => undefined

/**
 * What a request holds of what may be in hand. It is given back when its answer is written or its client gone, but not while somebody works for it: who
 * asks and hangs up has given work all the same. While only its body is waited for, nobody does.
 */
export class Place {
  #leave: () => void
  #working = true
  #held = 0
  #gone = false

  constructor(leave: () => void) {
    this.#leave = leave
  }

  /** What it holds until its body is there. */
  waitForBody(take: () => () => void): void {
    this.#working = false
    this.#exchange(take)
  }

  work(take: () => () => void): void {
    this.#working = true
    this.#exchange(take)
  }

  /** Keeps the place until what it gives is called. */
  hold(): () => void {
    let held = true
    this.#held += 1
    return () => {
      if (held) this.#held -= 1
      held = false
      this.#leaveWhenDone()
    }
  }

  /** The handler has answered or failed. */
  settled(): void {
    this.#working = false
    this.#leaveWhenDone()
  }

  /** The answer is written, or nobody is there to read it. */
  gone(): void {
    this.#gone = true
    this.#leaveWhenDone()
  }

  /** For an answer that turns into a stream, which is not in hand for as long as it is open. */
  leave(): void {
    this.#leave()
  }

  #exchange(take: () => () => void): void {
    this.#leave()
    this.#leave = nothing
    this.#leave = take()
    this.#leaveWhenDone()
  }

  #leaveWhenDone(): void {
    if (this.#gone && !this.#working && this.#held === 0) this.#leave()
  }
}
