import { LRUCache } from 'lru-cache'
import type { Clock } from '../../platform/clock.ts'
import type { SignatureInfo } from '../decode/rpc-transaction.ts'
import { LogSubscription } from '../rpc/log-subscription.ts'
import type { IndexerContext } from './context.ts'

/**
 * A listing may lag behind the announcements. After this time a transaction is fetched directly.
 */
const OVERDUE_AFTER_MS = 1_000
const FORGET_AFTER_MS = 60_000
const MAX_SIGNATURES = 10_000

/**
 * Transactions announced over the node's WebSocket. They only save polling: the listing is
 * complete.
 */
export class Announcements {
  /** The newest slot of an announced transaction. */
  newestSlot = 0
  /** When each signature was announced that no listing has contained yet. */
  readonly #unlisted = new LRUCache<string, number>({ max: MAX_SIGNATURES, ttl: FORGET_AFTER_MS })
  readonly #clock: Clock
  readonly #subscription: LogSubscription | null

  constructor({ options, status, wakeUp }: IndexerContext) {
    const { wsUrl: url, programId, commitment, logger, clock } = options
    this.#clock = clock
    const subscribe = {
      programId,
      commitment,
      logger,
      onTransaction: ({ signature, slot }: { signature: string; slot: number }) => {
        if (!this.#unlisted.has(signature)) this.#unlisted.set(signature, clock.now())
        this.newestSlot = Math.max(this.newestSlot, slot)
        wakeUp.wake()
      },
      onSlot: (slot: number) => {
        if (status.phase === 'backfilling') status.tipSlot = Math.max(status.tipSlot, slot)
      },
      onConnected: () => wakeUp.wake(),
    }
    this.#subscription = url === undefined ? null : new LogSubscription({ url, ...subscribe })
  }

  get isConnected(): boolean {
    return this.#subscription?.connected ?? false
  }

  get hasUnlisted(): boolean {
    return this.#unlisted.size > 0
  }

  /** The unlisted signatures to fetch without waiting for the listing, oldest first. */
  overdue(): string[] {
    this.#unlisted.purgeStale()
    const announcedBefore = this.#clock.now() - OVERDUE_AFTER_MS
    // The cache iterates newest first.
    const oldestFirst = [...this.#unlisted.entries()].toReversed()
    return oldestFirst.filter(([, at]) => at < announcedBefore).map(([signature]) => signature)
  }

  remove(read: readonly SignatureInfo[]): void {
    for (const { signature } of read) this.#unlisted.delete(signature)
  }

  close(): void {
    this.#subscription?.close()
  }
}
