import type { Kysely } from 'kysely'
import type PQueue from 'p-queue'
import type { Database } from '../../db/database.ts'
import type { Clock } from '../../platform/clock.ts'
import type { HostedDependencies } from '../../platform/net/hosted/fetch-hosted.ts'
import { checkCard } from './check-card.ts'
import type { DueCard } from './claim-cards.ts'
import { recordHost } from './host-back-off.ts'
import type { CardMetrics } from './metrics.ts'
import { recordCheck } from './record-check.ts'
import type { CardTiming } from './timing.ts'

export interface CheckDependencies {
  readonly kysely: Kysely<Database>
  readonly hosted: HostedDependencies
  readonly clock: Clock
  readonly timing: CardTiming
  /** Returns 0 to 1. */
  readonly random: () => number
}

/** Checks a claimed card, and stores the result and the time of the next check. */
export async function runCheck(
  card: DueCard,
  { kysely, hosted, clock, timing, random }: CheckDependencies,
  { checks }: Pick<CardMetrics, 'checks'>,
  writes: PQueue,
  signal: AbortSignal,
): Promise<void> {
  const startedAt = clock.now()
  const outcome = await checkCard(card, { ...hosted, signal })
  // The check has no result. Its lease expires.
  if (signal.aborted || (outcome.state === 'unreachable' && outcome.host === 'limited')) return
  const failures = outcome.state === 'unreachable' ? card.failures + 1 : 0
  const delayMs = failures === 0 ? timing.recheckMs : backOff(failures, timing)
  const jitter = 1 + timing.jitter * random()
  const checkedAt = new Date(clock.now())
  const { state, reason } =
    outcome.state === 'unreachable'
      ? { state: outcome.host, reason: outcome.reason }
      : { state: 'responded' as const, reason: '' }
  const isRecorded = await writes.add(async () => {
    // While the result waited, the worker stopped, or another one may have claimed the card.
    if (signal.aborted || clock.now() - startedAt > timing.leaseMs) return false
    // Before the result, which lets the next check of the host start.
    await recordHost(kysely, { host: card.host, state, reason, checkedAt }, timing, jitter)
    return recordCheck(kysely, card, {
      outcome,
      checkedAt,
      nextCheckMs: delayMs * jitter,
      // Once a day, and when the card changed.
      credentialsPauseMs: delayMs === timing.recheckMs ? timing.credentialsPauseMs : null,
    })
  })
  checks.inc({ state: isRecorded ? outcome.state : 'stale' })
}

function backOff(failures: number, { retryMs, retryFactor, recheckMs }: CardTiming): number {
  return Math.min(retryMs * retryFactor ** Math.min(failures - 1, 20), recheckMs)
}
