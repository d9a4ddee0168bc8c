import type { Clock } from '../platform/clock.ts'
import type { FeePayerStatus } from './fee-payer-status.ts'
import type { LedgerProbe } from '../ledger/rpc/ledger-probe.ts'
import { missingTables, missingWorkers, type Roles } from './roles.ts'
import type { IndexerHealth } from '../ledger/indexer/health.ts'

const LAMPORTS_PER_SOL = 1_000_000_000

export interface Health {
  readonly status: 'ok'
  readonly timestamp: string
}

/** `degraded`: some part does not answer. The service still serves what it can. */
export interface DetailedHealth {
  readonly status: 'healthy' | 'degraded'
  readonly rpc: { readonly connected: boolean; readonly slot: number | null }
  readonly feePayer: {
    readonly enabled: boolean
    readonly pubkey: string | null
    /** u64 in decimal. */
    readonly balanceLamports: string | null
    readonly balanceSol: number | null
  }
  readonly database: { readonly connected: boolean }
  readonly indexer: IndexerHealth
  readonly timestamp: string
}

export interface Readiness {
  readonly ready: boolean
  /** What is missing, as texts. */
  readonly missing: string[]
}

export interface HealthDependencies {
  readonly clock: Clock
  readonly ledger: LedgerProbe
  readonly databaseAnswers: () => Promise<boolean>
  readonly indexerStatus: () => Promise<IndexerHealth>
  readonly feePayer: FeePayerStatus | null
  readonly roles: Roles
}

export function health(clock: Clock): Health {
  return { status: 'ok', timestamp: new Date(clock.now()).toISOString() }
}

export async function detailedHealth(dependencies: HealthDependencies): Promise<DetailedHealth> {
  const { clock, ledger, feePayer } = dependencies
  const [slot, balance, enabled, connected, indexer] = await Promise.all([
    ledger.slot(),
    feePayer === null ? null : ledger.balance(feePayer.pubkey),
    feePayer?.enabled() ?? false,
    dependencies.databaseAnswers(),
    indexerStatus(dependencies),
  ])
  const healthy = slot !== null && connected && indexer.healthy
  return {
    status: healthy ? 'healthy' : 'degraded',
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

/** Whether this process can do the work of its roles. Reads do not need the ledger node. */
export async function readiness(dependencies: HealthDependencies): Promise<Readiness> {
  const [connected, indexer] = await Promise.all([
    dependencies.databaseAnswers(),
    indexerStatus(dependencies),
  ])
  const missing = [
    ...(connected ? missingTables(dependencies.roles, indexer) : ['the database does not answer']),
    ...missingWorkers(dependencies.roles, dependencies.clock),
  ]
  return { ready: missing.length === 0, missing }
}

async function indexerStatus({ indexerStatus }: HealthDependencies): Promise<IndexerHealth> {
  try {
    return await indexerStatus()
  } catch {
    // The indexer's position is in the database, and `database` reports that it does not answer.
    return {
      phase: 'unknown',
      cursorSlot: null,
      finalizedSlot: null,
      lagSlots: null,
      lagSeconds: null,
      deadLetters: null,
      ready: false,
      healthy: false,
    }
  }
}
