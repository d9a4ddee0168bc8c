const noop = (): void => undefined

/**
 * The slot of a request among the requests in flight. It is released when the response is written
 * and the handler has finished. A client that disconnects keeps its slot until the handler
 * finishes. No work starts while the body is still arriving, so a disconnect then releases the slot
 * at once.
 */
export class AdmissionSlot {
  #release = noop
  #handling = false
  #holds = 0
  #closed = false

  /** Counts the request as one whose body is being received. */
  receiveBody(acquire: () => () => void): void {
    this.#handling = false
    this.#exchange(acquire)
  }

  /** Counts the request as one in flight. Throws what `acquire` throws. */
  startHandling(acquire: () => () => void): void {
    this.#handling = true
    this.#exchange(acquire)
  }

  /** Keeps the slot until the result is called. */
  hold(): () => void {
    let held = true
    this.#holds += 1
    return () => {
      if (held) this.#holds -= 1
      held = false
      this.#releaseIfDone()
    }
  }

  /** The handler has returned a response or failed. */
  handlerFinished(): void {
    this.#handling = false
    this.#releaseIfDone()
  }

  /** The response is written, or the client has disconnected. */
  responseClosed(): void {
    this.#closed = true
    this.#releaseIfDone()
  }

  /** For a response that becomes a stream: open streams are not in flight. */
  release(): void {
    this.#release()
  }

  #exchange(acquire: () => () => void): void {
    this.#release()
    this.#release = noop
    this.#release = acquire()
    this.#releaseIfDone()
  }

  #releaseIfDone(): void {
    if (this.#closed && !this.#handling && this.#holds === 0) this.#release()
  }
}
