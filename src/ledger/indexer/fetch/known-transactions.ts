import { type Kysely, sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import type { SignatureInfo } from '../../decode/rpc-transaction.ts'
import type { IndexedRow } from '../../decode/rows.ts'

type StoredTransaction = Omit<IndexedRow<'ledger_transactions'>, 'accounts'>

export async function hasTransactions(db: Kysely<Database>): Promise<boolean> {
  return (await db.selectFrom('ledger_transactions').select('slot').limit(1).executeTakeFirst()) !== undefined
}

/** By signature. */
export async function loadTransactions(
  db: Kysely<Database>,
  infos: readonly SignatureInfo[],
): Promise<Map<string, StoredTransaction>> {
  const { rows } = await sql<StoredTransaction>`
    select signature, slot, transaction_index, finality from ledger_transactions
    where signature = any(${infos.map((info) => info.signature)})`.execute(db)
  return new Map(rows.map((row) => [row.signature, row]))
}

/**
 * Whether the row is valid and in the listed slot. A fork may also change the index in the slot.
 */
export function isUpToDate(row: StoredTransaction | undefined, info: SignatureInfo): boolean {
  if (row === undefined || row.finality === 'orphaned' || row.slot !== info.slot) return false
  const index = row.finality === 'confirmed' ? info.transactionIndex : undefined
  return index === undefined || index === row.transaction_index
}

export interface TransactionsToFetch {
  infos: SignatureInfo[]
  /** Signatures that a fork has moved to another slot or index. */
  moved: string[]
  /** The tables contain none of `infos`, also not as orphaned. */
  areNew: boolean
}

/** The listed transactions that the tables do not contain, or contain at another position. */
export async function findTransactionsToFetch(
  db: Kysely<Database>,
  listed: SignatureInfo[],
): Promise<TransactionsToFetch> {
  if (listed.length === 0) return { infos: [], moved: [], areNew: true }
  const stored = await loadTransactions(db, listed)
  const infos = listed.filter((info) => !isUpToDate(stored.get(info.signature), info))
  const outdated = infos.flatMap((info) => stored.get(info.signature) ?? [])
  const moved = outdated.filter((row) => row.finality !== 'orphaned').map((row) => row.signature)
  return { infos, moved, areNew: outdated.length === 0 }
}
