import type { Clock } from '../platform/clock.ts'
import type { LedgerProbe, RegistryProbe } from '../ledger/rpc/ledger-probe.ts'
import { indexerProblem, missingTables, missingWorkers, type Roles } from './roles.ts'
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
