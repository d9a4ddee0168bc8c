import { LRUCache } from 'lru-cache'
import { subscribeToLogs } from '../rpc/log-subscription.ts'
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
export interface Announcements {
  /** The newest slot of an announced transaction. */
  newestSlot: number
  isConnected(): boolean
  /** Whether there are announced signatures that no listing has contained yet. */
  hasUnlisted(): boolean
  /** The unlisted signatures to fetch without waiting for the listing, oldest first. */
  overdue(): string[]
  remove(signatures: Iterable<string>): void
  close(): void
}

export function subscribeToAnnouncements({ options, status, wakeUp }: IndexerContext): Announcements {
  const { wsUrl: url, programId, commitment, logger, clock } = options
  /** When each signature was announced. */
  const unlisted = new LRUCache<string, number>({ max: MAX_SIGNATURES, ttl: FORGET_AFTER_MS })
  const subscription =
    url === undefined
      ? null
      : subscribeToLogs({
          url,
          programId,
          commitment,
          logger,
          onTransaction: ({ signature, slot }) => {
            if (!unlisted.has(signature)) unlisted.set(signature, clock.now())
            announcements.newestSlot = Math.max(announcements.newestSlot, slot)
            wakeUp.wake()
          },
          onSlot: (slot) => {
            if (status.phase === 'backfilling') status.tipSlot = Math.max(status.tipSlot, slot)
          },
          onConnected: () => wakeUp.wake(),
        })
  const announcements: Announcements = {
    newestSlot: 0,
    isConnected: () => subscription?.connected ?? false,
    hasUnlisted: () => unlisted.size > 0,
    overdue() {
      unlisted.purgeStale()
      const announcedBefore = clock.now() - OVERDUE_AFTER_MS
      // The cache iterates newest first.
      const oldestFirst = [...unlisted.entries()].toReversed()
      return oldestFirst.filter(([, at]) => at < announcedBefore).map(([signature]) => signature)
    },
    remove(signatures) {
      for (const signature of signatures) unlisted.delete(signature)
    },
    close: () => subscription?.close(),
  }
  return announcements
}
