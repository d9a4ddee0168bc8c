import type { Claim } from './claim.ts'
import type { Settlement } from './settle.ts'
import type { Settlements } from './settlements.ts'

/** More successes than this keep their slots until they are written. */
const MAX_UNWRITTEN = 512

/** Attempts that have ended, but whose outcome is not written yet. */
export interface Unwritten {
  /** The deliveries that hold no slot. Limits of endpoints and sites need not count them. */
  ids(): string[]
  /** The worker claimed these again, because their lease ended before the outcome was written. */
  claimedAgain(claims: readonly Claim[]): void
  /**
   * Resolves when the attempt's slot is free. A success frees it at once. Other outcomes must be
   * written first, because they may pause or disable the webhook. Rejects if it cannot be written.
   */
  add(claim: Claim, settlement: Settlement): Promise<void>
  /** Resolves when everything is written. */
  onIdle(): Promise<void>
}

/** Calls `onFailure` if a success cannot be written. */
export function createUnwritten(
  settlements: Settlements,
  onFailure: (claim: Claim, error: unknown) => Promise<void>,
): Unwritten {
  /** Lease tokens by delivery, of those that hold no slot. */
  const withoutSlot = new Map<string, string>()
  const writing = new Set<Promise<void>>()
  return {
    ids: () => [...withoutSlot.keys()],
    claimedAgain: (claims) => {
      for (const { id } of claims) withoutSlot.delete(id)
    },
    add: async (claim, settlement) => {
      const written = settlements.add(settlement)
      if (settlement.outcome !== 'success' || writing.size >= MAX_UNWRITTEN) return written
      const done = written
        .catch((error: unknown) => onFailure(claim, error))
        .finally(() => {
          writing.delete(done)
          if (withoutSlot.get(claim.id) === claim.token) withoutSlot.delete(claim.id)
        })
      writing.add(done)
      withoutSlot.set(claim.id, claim.token)
    },
    onIdle: async () => {
      await Promise.all(writing)
    },
  }
}
