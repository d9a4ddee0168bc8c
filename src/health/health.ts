import type { Clock } from '../platform/clock.ts'
import type { LedgerProbe, RegistryProbe } from '../ledger/rpc/ledger-probe.ts'
import type { IndexerHealth } from '../ledger/indexer/health.ts'

const LAMPORTS_PER_SOL = 1_000_000_000

export interface Health {
  readonly status: 'ok'
  readonly timestamp: string
}

/** The account that pays for sponsored transactions. */
export interface FeePayerStatus {
  /** Base-58. */
  readonly pubkey: string
  /** Whether it sponsors registrations now. False if its balance cannot be read. */
  enabled(): Promise<boolean>
}

/** A worker that polls for work. */
interface PollingWorker {
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

export type DetailedHealth = Awaited<ReturnType<typeof detailedHealth>>
export type Readiness = Awaited<ReturnType<typeof readiness>>

export interface HealthDependencies {
  readonly clock: Clock
  readonly ledger: LedgerProbe
  readonly registry: RegistryProbe
  readonly databaseAnswers: () => Promise<boolean>
  readonly indexerStatus: () => Promise<IndexerHealth>
  readonly feePayer: FeePayerStatus | null
  readonly roles: Roles
}

/** `degraded`: some part does not answer. The service still serves what it can. */
export async function detailedHealth(dependencies: HealthDependencies) {
  const { clock, ledger, feePayer } = dependencies
  const [tables, { slot, registry }, balance, enabled] = await Promise.all([
    readTables(dependencies),
    readLedger(dependencies),
    feePayer === null ? null : ledger.balance(feePayer.pubkey),
    feePayer?.enabled() ?? false,
  ])
  const { connected, indexer } = tables
  const reasons = [
    ...(connected ? [] : [NO_DATABASE]),
    ...ledgerReasons({ slot, registry }, tables),
    ...(connected ? indexerReasons(indexer) : []),
  ]
  return {
    status: reasons.length === 0 ? ('healthy' as const) : ('degraded' as const),
    reasons,
    rpc: { connected: slot !== null, slot },
    feePayer: {
      enabled,
      pubkey: feePayer?.pubkey ?? null,
      balanceLamports: balance === null ? null : String(balance),
      balanceSol: balance === null ? null : Number(balance) / LAMPORTS_PER_SOL,
    },
    database: { connected },
    indexer,
    timestamp: new Date(clock.now()).toISOString(),
  }
}

/** Whether this process can do the work of its roles. */
export async function readiness(dependencies: HealthDependencies) {
  const { roles, clock } = dependencies
  const tables = await readTables(dependencies)
  const { connected, indexer } = tables
  const missing = [
    ...(connected ? [] : [NO_DATABASE]),
    ...(await missingLedger(dependencies, tables)),
    ...(connected ? missingTables(roles, indexer) : []),
    ...missingWorkers(roles, clock),
  ]
  return { ready: missing.length === 0, missing }
}

/**
 * Tables that are filled can be read without a ledger, so a silent node must not delay the answer.
 */
async function missingLedger(dependencies: HealthDependencies, tables: TablesState): Promise<string[]> {
  const { names } = dependencies.roles
  const { ready, isEmpty } = tables.indexer
  if (names.has('api') && ready)
    // With a wrong address of the registry, all tables are empty.
    return isEmpty ? ((await dependencies.registry()) ?? []) : []
  if (!names.has('api') && !names.has('indexer')) return []
  return ledgerReasons(await readLedger(dependencies), tables)
}

const NO_DATABASE = 'the database does not answer'

interface TablesState {
  readonly connected: boolean
  readonly indexer: IndexerHealth
}

type LedgerState = Awaited<ReturnType<typeof readLedger>>

async function readTables(dependencies: HealthDependencies): Promise<TablesState> {
  // The position of the indexer is read through the pool, the other uses a new connection.
  const [answers, indexer] = await Promise.all([
    dependencies.databaseAnswers(),
    dependencies.indexerStatus().catch(() => null),
  ])
  return { connected: answers && indexer !== null, indexer: indexer ?? UNKNOWN_INDEXER }
}

async function readLedger({ ledger, registry: probe }: HealthDependencies) {
  const [slot, registry] = await Promise.all([ledger.slot(), probe()])
  return { slot, registry }
}

/** Why the tables do not follow the ledger. */
function ledgerReasons({ slot, registry }: LedgerState, { connected, indexer }: TablesState): string[] {
  return [
    ...(slot === null ? ['no ledger node responds'] : (registry ?? [])),
    ...(connected && !indexer.hasLeader
      ? ['no process reads the ledger: start one with the role indexer']
      : []),
  ]
}

function indexerReasons(indexer: IndexerHealth): string[] {
  return indexer.healthy || !indexer.hasLeader ? [] : [indexerProblem(indexer)]
}

const UNKNOWN_INDEXER: IndexerHealth = {
  phase: 'unknown',
  cursorSlot: null,
  finalizedSlot: null,
  lagSlots: null,
  lagSeconds: null,
  deadLetters: null,
  ready: false,
  isEmpty: true,
  hasLeader: false,
  healthy: false,
}

/** Workers poll at least once per second. The rest is for a slow database. */
const MAX_POLL_AGE_MS = 15_000
const WORKERS = { webhooks: 'the webhook worker', cards: 'the card worker' } as const

/** The workers of this process that do not run, as texts. */
function missingWorkers({ names, workers }: Roles, clock: Clock): string[] {
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
function missingTables({ names }: Roles, indexer: IndexerHealth): string[] {
  const [reads, indexes] = [names.has('api'), names.has('indexer')]
  const { ready, phase, healthy } = indexer
  if (indexes && phase === 'stopped') return ['the indexer has stopped']
  if (reads) return ready ? [] : [indexerProblem(indexer)]
  if (!indexes || phase === 'standby') return []
  if (phase === 'starting') return ['the indexer is still starting']
  return ready && healthy ? [] : [indexerProblem(indexer)]
}

/** Why an indexer is not healthy. */
function indexerProblem({ phase, ready }: IndexerHealth): string {
  if (!ready) return `the registry has not been read from the ledger yet (${phase})`
  return phase === 'stopped' ? 'the indexer has stopped' : `the indexer is behind the ledger (${phase})`
}
