import { type Kysely, sql } from 'kysely'
import type { Database } from '../../../src/db/database.ts'
import { ACCOUNT_TABLES } from '../../../src/ledger/decode/decode-account.ts'
import type { Orm } from '../../../src/db/orm-types.ts'

export const kyselyOf = (orm: Orm): Kysely<Database> => orm.em.fork().getKysely()

/** All outbox events, oldest first, or those of one agent. */
export const outboxOf = async (orm: Orm, agent?: string) => {
  const events = kyselyOf(orm).selectFrom('outbox_events').selectAll().orderBy('sequence')
  return (agent === undefined ? events : events.where('agent_pda', '=', agent)).execute()
}

export const storedAgent = (orm: Orm, pda: string) =>
  kyselyOf(orm).selectFrom('agents').selectAll().where('pda', '=', pda).executeTakeFirstOrThrow()

const ORDER = {
  agents: 'pda',
  agent_counts: 'tier, status, service_category, card_hash_mismatch',
  stakes: 'pda',
  registry_config: 'pda',
  withdrawal_requests: 'pda',
  reputation_reporters: 'pda',
  deactivation_records: 'pda',
  ledger_transactions: 'signature',
  ledger_events: 'id',
  agent_history: 'event_id',
  outbox_events: 'id',
  registry_hours: 'hour',
  dead_letters: 'id',
} as const

/** Columns with the time of a read or write. */
function isIncidental(table: string, column: string): boolean {
  if (column === 'slot') return (ACCOUNT_TABLES as readonly string[]).includes(table)
  if (column === 'created_at') return table !== 'agents'
  return ['sequence', 'restored_sequence', 'accounts', 'search_xid'].includes(column)
}

/**
 * Every table that follows from the ledger, in a fixed order, without columns that depend on the
 * time of the read.
 */
export async function dumpTables(orm: Orm): Promise<Record<string, unknown[]>> {
  const dump: Record<string, unknown[]> = {}
  for (const [table, order] of Object.entries(ORDER)) {
    const { rows } = await sql<Record<string, unknown>>`
      select * from ${sql.table(table)} order by ${sql.raw(order)}`.execute(kyselyOf(orm))
    dump[table] = rows
      .filter((row) => row.count !== 0)
      .map((row) =>
        Object.fromEntries(Object.entries(row).filter(([column]) => !isIncidental(table, column))),
      )
  }
  return dump
}

export const count = async (orm: Orm, table: keyof typeof ORDER): Promise<number> =>
  (await dumpTables(orm))[table]?.length ?? 0
