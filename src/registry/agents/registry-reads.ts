import type { Kysely } from 'kysely'
import type { Database } from '../../db/database.ts'
import { databaseReader } from '../registry.ts'
import { readRegistryConfig, type RegistryConfig } from './registry-config.ts'
import { readRegistryStats, type RegistryStats } from './registry-stats.ts'

/** Reads about the registry as a whole. */
export interface RegistryReads {
  /** Null before the registry is initialised. */
  config(): Promise<RegistryConfig | null>
  stats(): Promise<RegistryStats>
}

export function createRegistryReads(kysely: Kysely<Database>, registry = databaseReader): RegistryReads {
  return {
    config: () => readRegistryConfig(kysely),
    stats: () => readRegistryStats(kysely, registry),
  }
}
