import { type Kysely, sql } from 'kysely'
import type { Database } from '../db/database.ts'
import {
  type DetailedHealth,
  detailedHealth,
  health,
  type Health,
  type HealthDependencies,
  readiness,
  type Readiness,
} from './health.ts'
import { serviceInfo, type ServiceIdentity, type ServiceInfo } from './info.ts'

export interface HealthService {
  health(): Health
  detailedHealth(): Promise<DetailedHealth>
  readiness(): Promise<Readiness>
  /** Throws LEDGER_UNAVAILABLE. */
  info(): Promise<ServiceInfo>
}

export interface HealthServiceDependencies extends Omit<HealthDependencies, 'databaseAnswers'> {
  readonly kysely: Kysely<Database>
  readonly identity: ServiceIdentity
}

export function createHealthService({ kysely, identity, ...rest }: HealthServiceDependencies): HealthService {
  const dependencies = { ...rest, databaseAnswers: () => databaseAnswers(kysely) }
  return {
    health: () => health(rest.clock),
    detailedHealth: () => detailedHealth(dependencies),
    readiness: () => readiness(dependencies),
    info: () =>
      serviceInfo(identity, {
        ledger: rest.ledger,
        feePayer: rest.feePayer,
        indexedGenesisHash: () => indexedGenesisHash(kysely),
      }),
  }
}

async function databaseAnswers(kysely: Kysely<Database>): Promise<boolean> {
  try {
    await sql`select 1`.execute(kysely)
    return true
  } catch {
    return false
  }
}

async function indexedGenesisHash(kysely: Kysely<Database>): Promise<string | null> {
  const row = await kysely.selectFrom('indexer_state').select('genesis_hash').executeTakeFirst()
  return row?.genesis_hash ?? null
}
