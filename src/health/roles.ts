import type { Clock } from '../platform/clock.ts'
import type { IndexerHealth } from '../ledger/indexer/health.ts'

/** A worker of this process that looks for work over and over. */
export interface LookingWorker {
  /** When it last looked for work and the database answered, in milliseconds since the epoch; null before the first time. */
  lastPolledAt(): number | null
}

/** What this process does; workers are added as they start. */
export interface Roles {
  readonly names: ReadonlySet<string>
  readonly workers: Map<'webhooks' | 'cards', LookingWorker>
}

export function rolesOf(names: Iterable<string>): Roles {
  return { names: new Set(names), workers: new Map() }
}

/** Workers look every second or more often; this leaves room for a slow database. */
const SILENT_MS = 15_000
const WORKERS = { webhooks: 'the webhook worker', cards: 'the card worker' } as const

/** What keeps a role of this process from its work, in words. */
export function missingOfWorkers({ names, workers }: Roles, clock: Clock): string[] {
  return (['webhooks', 'cards'] as const).flatMap((role) => {
    if (!names.has(role)) return []
    const worker = workers.get(role)
    if (worker === undefined) return [`${WORKERS[role]} does not run`]
    const lastPolledAt = worker.lastPolledAt()
    if (lastPolledAt === null) return [`${WORKERS[role]} has not looked for work yet`]
    const silentMs = clock.now() - lastPolledAt
    return silentMs > SILENT_MS
      ? [`${WORKERS[role]} has not looked for work for ${Math.round(silentMs / 1000)} s`]
      : []
  })
}

/** The same for reads, which need the tables filled once, and for an indexer, which leads or stands by. */
export function missingOfTables({ names }: Roles, { ready, phase, healthy }: IndexerHealth): string[] {
  const [reads, indexes] = [names.has('api'), names.has('indexer')]
  if (indexes && phase === 'stopped') return ['the indexer has stopped']
  if (reads) return ready ? [] : [`the registry has not been read from the ledger yet (${phase})`]
  if (!indexes || phase === 'standby') return []
  if (phase === 'starting') return ['the indexer has not found the ledger and its lock yet (starting)']
  if (!ready) return [`the registry has not been read from the ledger yet (${phase})`]
  return healthy ? [] : [`the indexer does not keep up with the ledger (${phase})`]
}
