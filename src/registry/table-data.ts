import type { CopiedTable } from './changes.ts'
import { emptyKeyIndex, type KeyData } from './key-index.ts'
import { emptyPackedRows, type PackedData } from './packed-rows.ts'
import { numberRows, type OrderData, type OrderOf, PDA, sortRows } from './sort-order.ts'

/** A table, and what its copy looks up and sorts by. All columns are read as text. */
export interface IndexedTable extends CopiedTable {
  /** Columns by which rows are found. */
  readonly keys: Readonly<Record<string, number>>
  readonly orders: Readonly<Record<string, OrderOf>>
}

/** A copy of a table in typed arrays, so that a thread can hand it over. */
export interface TableData {
  readonly rows: PackedData
  /** Slots that were ever used. */
  slots: number
  /** Those that are not used now. */
  readonly free: number[]
  readonly keys: Readonly<Record<string, KeyData>>
  readonly orders: Readonly<Record<string, OrderData>>
}

/** Changes need room. When there is none, the table is loaded again, because growing takes long. */
const MIN_ROOM = 2 ** 13
const roomFor = (count: number): number => count + Math.max(count / 4, MIN_ROOM)

/** Takes rows one by one, and makes everything of them at the end. */
export class TableLoader {
  #count = 0
  readonly #table: IndexedTable
  readonly #rows

  constructor(table: IndexedTable) {
    this.#table = table
    this.#rows = emptyPackedRows(table.columns.length, MIN_ROOM)
  }

  get bytes(): number {
    return this.#rows.bytes
  }

  /** A row of `copy … (format binary)`. */
  addCopied(message: Buffer): void {
    if (this.#rows.putCopied(this.#next(), message)) this.#count += 1
  }

  add(values: readonly unknown[]): void {
    this.#rows.put(this.#next(), values)
    this.#count += 1
  }

  #next(): number {
    if (this.#count === this.#rows.capacity) this.#rows.setCapacity(this.#count * 2)
    return this.#count
  }

  finish(): TableData {
    const rows = this.#rows
    const count = this.#count
    rows.setCapacity(Math.ceil(roomFor(count)))
    numberRows(rows, count)
    const keys: Record<string, KeyData> = {}
    for (const [name, field] of Object.entries({ pda: PDA, ...this.#table.keys })) {
      const index = emptyKeyIndex(rows, field)
      for (let slot = 0; slot < count; slot++) index.add(slot)
      keys[name] = index.data
    }
    const orders: Record<string, OrderData> = {}
    for (const [name, of] of Object.entries(this.#table.orders)) orders[name] = sortRows(rows, of, count)
    return { rows: rows.data, slots: count, free: [], keys, orders }
  }
}

/** The table with these rows. */
export function tableOf(table: IndexedTable, rows: readonly (readonly unknown[])[]): TableData {
  const loader = new TableLoader(table)
  for (const values of rows) loader.add(values)
  return loader.finish()
}
