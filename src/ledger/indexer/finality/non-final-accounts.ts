import { type Kysely, sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { PROJECTIONS } from '../../decode/projections.ts'
import { type AccountStates, pdasOf } from '../../decode/rows.ts'

/**
 * Accounts whose state was read in a slot that is not final yet. It may hold what a transaction on a fork wrote that no listing
 * ever showed; so each is read once more when its slot is final.
 */
export class UnsettledReads {
  readonly #slots: Map<string, number>

  constructor(slots: Map<string, number> = new Map()) {
    this.#slots = slots
  }

  get size(): number {
    return this.#slots.size
  }

  add(states: readonly AccountStates[]): void {
    for (const state of states) for (const pda of pdasOf(state)) this.#add(pda, state.slot)
  }

  /** Some that were read at or below a slot that is final now. */
  upTo(finalizedSlot: number, limit: number): string[] {
    const due: string[] = []
    for (const [pda, slot] of this.#slots) {
      if (slot <= finalizedSlot) due.push(pda)
      if (due.length === limit) break
    }
    return due
  }

  /** They were read again; who was read at a later slot meanwhile stays. */
  settle(pdas: readonly string[], finalizedSlot: number): void {
    for (const pda of pdas) if ((this.#slots.get(pda) ?? 0) <= finalizedSlot) this.#slots.delete(pda)
  }

  #add(pda: string, slot: number): void {
    this.#slots.set(pda, Math.max(slot, this.#slots.get(pda) ?? 0))
  }
}

/** Those that an indexer before this one left, from the rows. */
export async function loadUnsettledReads(
  db: Kysely<Database>,
  finalizedSlot: number,
): Promise<UnsettledReads> {
  const slots = new Map<string, number>()
  const tables = PROJECTIONS.map((projection) => projection.table)
  for (const table of [...tables, 'closed_accounts', 'dead_letters'] as const) {
    const { rows } = await sql<{ pda: string; slot: number }>`
      select pda, slot from ${sql.table(table)} where slot > ${finalizedSlot} and pda is not null`.execute(db)
    for (const { pda, slot } of rows) slots.set(pda, slot)
  }
  return new UnsettledReads(slots)
}
