import { type Kysely, sql } from 'kysely'
import type { Database } from '../../db/tables.ts'
import type { SignatureInfo } from './batch.ts'

/** Those to read, since the tables do not have them in their slot; `moved` are the ones that a fork put into another slot. */
export async function unknownTransactions(
  db: Kysely<Database>,
  infos: SignatureInfo[],
): Promise<{ wanted: SignatureInfo[]; moved: string[] }> {
  if (infos.length === 0) return { wanted: [], moved: [] }
  const { rows } = await sql<{ signature: string; slot: number }>`
    select signature, slot from ledger_transactions
    where signature = any(${infos.map((info) => info.signature)}) and finality <> 'orphaned'`.execute(db)
  const known = new Map(rows.map((row) => [row.signature, row.slot]))
  const wanted = infos.filter((info) => known.get(info.signature) !== info.slot)
  const moved = wanted.filter((info) => known.has(info.signature)).map((info) => info.signature)
  return { wanted, moved }
}
