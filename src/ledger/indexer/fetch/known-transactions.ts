import { type Kysely, sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import type { SignatureInfo } from '../../decode/rows.ts'

/** Whether anything was read before. */
export async function holdsTransactions(db: Kysely<Database>): Promise<boolean> {
  return (await db.selectFrom('ledger_transactions').select('slot').limit(1).executeTakeFirst()) !== undefined
}

export interface Recorded {
  signature: string
  slot: number
  transaction_index: number
  finality: string
}

/** Whether the row says what is listed. A fork may also have put the transaction into another place of the same slot. */
export function isListedPlace(row: Recorded, info: SignatureInfo): boolean {
  if (row.slot !== info.slot) return false
  const index = row.finality === 'confirmed' ? info.transactionIndex : undefined
  return index === undefined || index === row.transaction_index
}

export async function recordedOf(
  db: Kysely<Database>,
  infos: readonly SignatureInfo[],
): Promise<Map<string, Recorded>> {
  const { rows } = await sql<Recorded>`
    select signature, slot, transaction_index, finality from ledger_transactions
    where signature = any(${infos.map((info) => info.signature)})`.execute(db)
  return new Map(rows.map((row) => [row.signature, row]))
}

/**
 * Those to read, since the tables do not have them in their place; `moved` are the ones that a fork put into another. With `isNew` the tables have
 * none of those to read, also not as orphaned.
 */
export async function unknownTransactions(
  db: Kysely<Database>,
  infos: SignatureInfo[],
): Promise<{ wanted: SignatureInfo[]; moved: string[]; isNew: boolean }> {
  if (infos.length === 0) return { wanted: [], moved: [], isNew: true }
  const recorded = await recordedOf(db, infos)
  const isKnown = (info: SignatureInfo): boolean => {
    const row = recorded.get(info.signature)
    return row !== undefined && row.finality !== 'orphaned' && isListedPlace(row, info)
  }
  const wanted = infos.filter((info) => !isKnown(info))
  const held = wanted.flatMap((info) => recorded.get(info.signature) ?? [])
  const moved = held.filter((row) => row.finality !== 'orphaned').map((row) => row.signature)
  return { wanted, moved, isNew: held.length === 0 }
}
