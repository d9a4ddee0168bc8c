import { type Kysely, sql } from 'kysely'
import type { Database } from '../../db/tables.ts'
import type { SignatureInfo } from './batch.ts'

/** Whether anything was read before. */
export async function holdsTransactions(db: Kysely<Database>): Promise<boolean> {
  return (await db.selectFrom('ledger_transactions').select('slot').limit(1).executeTakeFirst()) !== undefined
}

/**
 * Those to read, since the tables do not have them in their slot; `moved` are the ones that a fork put into another slot. With `isNew` the tables have
 * none of those to read, also not as orphaned.
 */
export async function unknownTransactions(
  db: Kysely<Database>,
  infos: SignatureInfo[],
): Promise<{ wanted: SignatureInfo[]; moved: string[]; isNew: boolean }> {
  if (infos.length === 0) return { wanted: [], moved: [], isNew: true }
  const { rows } = await sql<{ signature: string; slot: number | null }>`
    select signature, case when finality <> 'orphaned' then slot end as slot from ledger_transactions
    where signature = any(${infos.map((info) => info.signature)})`.execute(db)
  const known = new Map(rows.map((row) => [row.signature, row.slot]))
  const wanted = infos.filter((info) => known.get(info.signature) !== info.slot)
  const held = wanted.filter((info) => known.has(info.signature))
  const moved = held.filter((info) => known.get(info.signature) !== null).map((info) => info.signature)
  return { wanted, moved, isNew: held.length === 0 }
}
