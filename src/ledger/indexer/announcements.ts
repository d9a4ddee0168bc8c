import type { Clock } from '../../platform/clock.ts'
import { type LogSubscription, subscribeToLogs } from '../rpc/log-subscription.ts'
import type { IndexerContext } from './context.ts'

/** Transactions announced over the node's WebSocket. They only save polling: the listing is complete. */
export class Announcements {
  /** Announced signatures that no listing has contained yet. */
  readonly unlisted: UnlistedSignatures
  /** The newest slot of an announced transaction. */
  newestSlot = 0
  readonly #subscription: LogSubscription | undefined

  constructor({ options, status, wakeUp }: IndexerContext) {
    const { wsUrl: url, programId, commitment, logger, quietMs } = options
    this.unlisted = new UnlistedSignatures(options.clock)
    if (url === undefined) return
    this.#subscription = subscribeToLogs({
      url,
      programId,
      commitment,
      logger,
      ...(quietMs === undefined ? {} : { quietMs }),
      onTransaction: ({ signature, slot }) => {
        this.unlisted.add(signature)
        this.newestSlot = Math.max(this.newestSlot, slot)
        wakeUp.wake()
      },
      onSlot: (slot) => {
        if (status.phase === 'backfilling') status.tipSlot = Math.max(status.tipSlot, slot)
      },
      onConnected: () => wakeUp.wake(),
    })
  }

  get connected(): boolean {
    return this.#subscription?.connected ?? false
  }

  close(): void {
    this.#subscription?.close()
  }
}

/** A listing may lag behind the announcements. After this time the transaction is fetched directly. */
const OVERDUE_AFTER_MS = 1_000
const FORGET_AFTER_MS = 60_000
/** More signatures are ignored. The listing will contain them. */
const MAX_SIGNATURES = 10_000

class UnlistedSignatures {
  /** When they were announced. */
  readonly #announcedAt = new Map<string, number>()
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get size(): number {
    return this.#announcedAt.size
  }

  add(signature: string): void {
    if (this.#announcedAt.size < MAX_SIGNATURES && !this.#announcedAt.has(signature))
      this.#announcedAt.set(signature, this.#clock.now())
  }

  remove(signatures: Iterable<string>): void {
    for (const signature of signatures) this.#announcedAt.delete(signature)
  }

  /** The signatures to fetch without waiting for the listing. Forgets those older than a minute. */
  overdue(): string[] {
    const now = this.#clock.now()
    for (const [signature, announcedAt] of this.#announcedAt)
      if (now - announcedAt > FORGET_AFTER_MS) this.#announcedAt.delete(signature)
    return [...this.#announcedAt]
      .filter(([, announcedAt]) => now - announcedAt > OVERDUE_AFTER_MS)
      .map(([signature]) => signature)
  }
}
