import type { ReadTables } from '../../domain/read-versions.ts'

/** Kept by triggers; see the migration. */
export interface ReadVersionsTable {
  tables: ReadTables
  place: number
  /** The number of the transaction that changed the tables last, of those that took this place. */
  changed_by: number
}
