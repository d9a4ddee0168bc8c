import { type Kysely, sql } from 'kysely'
import { type Tier, TIERS } from '@agent-registry/program'
import { columnsOf, type RowOf } from '../../db/columns-of.ts'
import type { Database } from '../../db/database.ts'
import { RegistryConfig as RegistryConfigEntity } from '../../db/entities/ledger-accounts.ts'

const HIDDEN = ['bump', 'slot', 'tierThresholds'] as const

/** The settings of the registry program. */
export type RegistryConfig = Omit<RowOf<typeof RegistryConfigEntity>, (typeof HIDDEN)[number]> & {
  /** The least stake of each tier, in USDC base units (6 decimals), in decimal. */
  readonly tiers: readonly { readonly tier: Tier; readonly minimumStake: string }[]
}

type Row = Omit<RegistryConfig, 'tiers'> & { readonly thresholds: readonly string[] }

/** Null before the registry is initialised. */
export async function readRegistryConfig(kysely: Kysely<Database>): Promise<RegistryConfig | null> {
  const { rows } = await sql<Row>`
    select ${columnsOf(RegistryConfigEntity, HIDDEN)}, tier_thresholds as thresholds
    from registry_config limit 1`.execute(kysely)
  if (rows[0] === undefined) return null
  const { thresholds, ...config } = rows[0]
  return { ...config, tiers: TIERS.map((tier, i) => ({ tier, minimumStake: thresholds[i] ?? '0' })) }
}
