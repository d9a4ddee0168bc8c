import type { Clock } from '../../clock.ts'

/** A signature that the node announced is fetched directly when its listing has not shown it for this long. */
const FETCH_DIRECTLY_AFTER_MS = 1_000
const FORGET_AFTER_MS = 60_000
/** Beyond this the listing alone has to do; nothing is lost, since it is complete. */
const MAX_AWAITED = 10_000

/** What subscriptions announced and the node's listing has not shown yet: listings may lag behind notifications. */
export class AwaitedSignatures {
  readonly #since = new Map<string, number>()
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get size(): number {
    return this.#since.size
  }

  add(signature: string): void {
    if (this.#since.size < MAX_AWAITED && !this.#since.has(signature))
      this.#since.set(signature, this.#clock.now())
  }

  remove(signatures: Iterable<string>): void {
    for (const signature of signatures) this.#since.delete(signature)
  }

  /** Those to fetch without waiting for the listing; those older than a minute are forgotten. */
  overdue(): string[] {
    const now = this.#clock.now()
    for (const [signature, since] of this.#since)
      if (now - since > FORGET_AFTER_MS) this.#since.delete(signature)
    return [...this.#since]
      .filter(([, since]) => now - since > FETCH_DIRECTLY_AFTER_MS)
      .map(([signature]) => signature)
  }
}
