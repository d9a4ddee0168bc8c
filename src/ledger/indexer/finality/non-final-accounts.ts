import { type Kysely, sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { ACCOUNT_TABLES, type AccountSnapshot, pdasOf } from '../../decode/decode-account.ts'

/**
 * Accounts that were read in a slot that is not final yet. Their state may come from a transaction
 * of a fork that no listing contained, so they are read again once the slot is final.
 */
export class NonFinalAccounts {
  /** The slot of the last read, by address. */
  readonly #slots: Map<string, number>

  constructor(slots: Map<string, number> = new Map()) {
    this.#slots = slots
  }

  add(snapshots: readonly AccountSnapshot[]): void {
    for (const snapshot of snapshots)
      for (const pda of pdasOf(snapshot))
        this.#slots.set(pda, Math.max(snapshot.slot, this.#slots.get(pda) ?? 0))
  }

  /** Up to `limit` accounts that were last read at or below this slot. */
  readUpTo(finalizedSlot: number, limit: number): string[] {
    const due: string[] = []
    for (const [pda, slot] of this.#slots) {
      if (slot <= finalizedSlot) due.push(pda)
      if (due.length === limit) break
    }
    return due
  }

  /** Removes accounts, except those that were read at a later slot in the meantime. */
  remove(pdas: readonly string[], finalizedSlot: number): void {
    for (const pda of pdas) if ((this.#slots.get(pda) ?? 0) <= finalizedSlot) this.#slots.delete(pda)
  }
}

/** The accounts that previous leaders read in slots that were not final. */
export async function loadNonFinalAccounts(
  db: Kysely<Database>,
  finalizedSlot: number,
): Promise<NonFinalAccounts> {
  const slots = new Map<string, number>()
  for (const table of [...ACCOUNT_TABLES, 'closed_accounts', 'dead_letters'] as const) {
    const { rows } = await sql<{ pda: string; slot: number }>`
      select pda, slot from ${sql.table(table)} where slot > ${finalizedSlot} and pda is not null`.execute(db)
    for (const { pda, slot } of rows) slots.set(pda, slot)
  }
  return new NonFinalAccounts(slots)
}
