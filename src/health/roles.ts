import type { Clock } from '../platform/clock.ts'
import type { IndexerHealth } from '../ledger/indexer/health.ts'

/** A worker that polls for work. */
export interface PollingWorker {
  /** Time of the last successful poll, ms since the epoch. Null before the first one. */
  lastPolledAt(): number | null
}

/** The roles of this process. Workers are added when they start. */
export interface Roles {
  readonly names: ReadonlySet<string>
  readonly workers: Map<'webhooks' | 'cards', PollingWorker>
  /** Why this process is not ready yet. Null when its start has ended. */
  starting: string | null
}

export function rolesOf(names: Iterable<string>): Roles {
  return { names: new Set(names), workers: new Map(), starting: null }
}

/** Workers poll at least once per second. The rest is for a slow database. */
const MAX_POLL_AGE_MS = 15_000
const WORKERS = { webhooks: 'the webhook worker', cards: 'the card worker' } as const

/** The workers of this process that do not run, as texts. */
export function missingWorkers({ names, workers }: Roles, clock: Clock): string[] {
  return (['webhooks', 'cards'] as const).flatMap((role) => {
    if (!names.has(role)) return []
    const worker = workers.get(role)
    if (worker === undefined) return [`${WORKERS[role]} is not running`]
    const lastPolledAt = worker.lastPolledAt()
    if (lastPolledAt === null) return [`${WORKERS[role]} has not polled for work yet`]
    const pollAgeMs = clock.now() - lastPolledAt
    return pollAgeMs > MAX_POLL_AGE_MS
      ? [`${WORKERS[role]} has not polled for work for ${Math.round(pollAgeMs / 1000)} s`]
      : []
  })
}

/** The same for reads, which need filled tables, and for the indexer, which leads or stands by. */
export function missingTables({ names }: Roles, indexer: IndexerHealth): string[] {
  const [reads, indexes] = [names.has('api'), names.has('indexer')]
  const { ready, phase, healthy } = indexer
  if (indexes && phase === 'stopped') return ['the indexer has stopped']
  if (reads) return ready ? [] : [indexerProblem(indexer)]
  if (!indexes || phase === 'standby') return []
  if (phase === 'starting') return ['the indexer is still starting']
  return ready && healthy ? [] : [indexerProblem(indexer)]
}

/** Why an indexer is not healthy. */
export function indexerProblem({ phase, ready }: IndexerHealth): string {
  if (!ready) return `the registry has not been read from the ledger yet (${phase})`
  return phase === 'stopped' ? 'the indexer has stopped' : `the indexer is behind the ledger (${phase})`
}
