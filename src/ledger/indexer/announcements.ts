import { type LogSubscription, subscribeToLogs } from '../rpc/log-subscription.ts'
import { AwaitedSignatures } from './awaited-signatures.ts'
import type { IndexerContext } from './indexer-context.ts'

/** What the node announces over its WebSocket: hints that save polling. Nothing depends on them. */
export class Announcements {
  /** Announced, and not listed yet. */
  readonly awaited: AwaitedSignatures
  /** The newest slot of an announced transaction. */
  slot = 0
  readonly #subscription: LogSubscription | undefined

  constructor({ options, status, wakeUp }: IndexerContext) {
    const { wsUrl: url, programId, commitment, logger, quietMs } = options
    this.awaited = new AwaitedSignatures(options.clock)
    if (url === undefined) return
    this.#subscription = subscribeToLogs({
      url,
      programId,
      commitment,
      logger,
      ...(quietMs === undefined ? {} : { quietMs }),
      onTransaction: ({ signature, slot }) => {
        this.awaited.add(signature)
        this.slot = Math.max(this.slot, slot)
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
