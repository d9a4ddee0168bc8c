import { type Kysely, sql } from 'kysely'
import { pubkey, type Pubkey } from '@agent-registry/solana'
import type { Database } from '../db/database.ts'
import { DomainError } from '../domain/errors.ts'

/** Throws NOT_READY before the registry is initialised. */
export async function readUsdcMint(kysely: Kysely<Database>): Promise<Pubkey> {
  const { rows } = await sql<{ usdc_mint: string }>`select usdc_mint from registry_config`.execute(kysely)
  const [config] = rows
  if (config === undefined) throw new DomainError('NOT_READY', { missing: 'the registry is not initialised' })
  return pubkey(config.usdc_mint)
}

const ACCOUNTS = {
  agents: { key: 'pda', missing: 'AGENT_NOT_FOUND' },
  stakes: { key: 'agent_pda', missing: 'STAKE_NOT_FOUND' },
} as const

/** Who paid the rent of an agent's account, or of its stake, and gets it back. */
export async function readRentPayer(
  kysely: Kysely<Database>,
  table: keyof typeof ACCOUNTS,
  agent: Pubkey,
): Promise<Pubkey> {
  const { key, missing } = ACCOUNTS[table]
  const { rows } = await sql<{ rent_payer: string }>`
    select rent_payer from ${sql.table(table)} where ${sql.ref(key)} = ${agent}`.execute(kysely)
  if (rows[0] === undefined) throw new DomainError(missing)
  return pubkey(rows[0].rent_payer)
}
