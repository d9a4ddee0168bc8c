import type { Change } from './changes.ts'
import { KeyIndex } from './key-index.ts'
import { PackedRows } from './packed-rows.ts'
import { type SortKey, SortOrder, type SortValue } from './sort-order.ts'
import type { TableData } from './table-data.ts'

/** Called between parts of long work. */
export type Pause = () => Promise<void> | undefined

/** Rows after a key and before the other one. */
export interface KeyRange {
  readonly after: SortKey | null
  readonly before: SortKey | null
}

/** The part of a list that is read. Its range does not change the total. */
export interface Window extends KeyRange {
  readonly descending: boolean
  /** Returns the last rows first. */
  readonly backward: boolean
  readonly offset: number
  readonly limit: number
}

/** The window with other values in its keys. */
export function withKeys(window: Window, valueOf: (value: SortValue) => SortValue): Window {
  const keyOf = (key: SortKey | null): SortKey | null => key && [valueOf(key[0]), key[1]]
  return { ...window, after: keyOf(window.after), before: keyOf(window.before) }
}

export interface CountedPage<Row> {
  readonly total: number
  readonly rows: Row[]
}

/** Longer work would delay other requests: PostgreSQL does it. */
export const MAX_SCANNED = 100_000
export const MAX_SELECTED = 100_000
/** For lookups and orders, measured. */
const BYTES_PER_SLOT = 160
/** Rows that are objects. More are forgotten. */
const MAX_OBJECTS = 20_000

/** How a value of a row is read from PostgreSQL's text. */
export interface Parser {
  readonly name: string
  readonly field: number
  readonly parse: (text: string) => unknown
}

/**
 * All rows of a table, by slot. A slot is a small number that is reused after its row is removed.
 */
export abstract class TableCopy<
  Row extends { readonly pda: string },
  Key extends string = string,
  Order extends string = string,
> {
  protected readonly packed: PackedRows
  protected readonly keys: Readonly<Record<Key | 'pda', KeyIndex>>
  protected readonly orders: Readonly<Record<Order, SortOrder>>
  readonly #data: TableData
  readonly #parsers: readonly Parser[]
  readonly #template: Record<string, unknown>
  /** The same object until the row changes or is forgotten. */
  #objects = new Map<number, Row>()

  constructor(data: TableData, parsers: readonly Parser[]) {
    const packed = new PackedRows(data.rows)
    this.packed = packed
    this.keys = mapValues(data.keys, (each) => new KeyIndex(packed, each))
    this.orders = mapValues(data.orders, (each) => new SortOrder(packed, each))
    this.#data = data
    this.#parsers = parsers
    this.#template = Object.fromEntries(parsers.map(({ name }) => [name, null]))
  }

  get size(): number {
    return this.#data.slots - this.#data.free.length
  }

  /** The slots that were ever used are below this number. */
  get slots(): number {
    return this.#data.slots
  }

  /** All slots are below this number. */
  get capacity(): number {
    return this.packed.capacity
  }

  get bytes(): number {
    return this.packed.bytes + this.slots * BYTES_PER_SLOT
  }

  get(pda: string): Row | null {
    const slot = this.keys.pda.first(pda)
    return slot < 0 ? null : this.row(slot)
  }

  find(pdas: readonly string[]): Row[] {
    return [...new Set(pdas)].flatMap((pda) => this.get(pda) ?? [])
  }

  protected row(slot: number): Row {
    const known = this.#objects.get(slot)
    if (known !== undefined) return known
    if (this.#objects.size >= MAX_OBJECTS) this.#objects = new Map()
    const row = this.#read(slot)
    this.#objects.set(slot, row)
    return row
  }

  #read(slot: number): Row {
    const texts = this.packed.read(slot)
    // A copy has the shape of the template, so that all rows have the same hidden class.
    const row = { ...this.#template }
    for (const { name, field, parse } of this.#parsers) {
      const text = texts[field]!
      if (text !== null) row[name] = parse(text)
    }
    return row as unknown as Row
  }

  /** Must be called once, for the rows that were loaded. */
  async begin(pause: Pause): Promise<void> {
    const parsers = this.#parsers.filter(({ name }) => this.counted.includes(name as keyof Row))
    for (let slot = 0; slot < this.slots; slot++) {
      const row: Record<string, unknown> = {}
      for (const { name, field, parse } of parsers) row[name] = parse(this.packed.text(slot, field)!)
      this.added(slot, row as unknown as Row)
      const waiting = pause()
      if (waiting !== undefined) await waiting
    }
  }

  apply({ pda, values }: Change): void {
    const { packed } = this
    const known = this.keys.pda.first(pda)
    const slot = known >= 0 ? known : (this.#data.free.pop() ?? this.#data.slots++)
    const isChanged = (field: number | undefined): boolean =>
      field !== undefined && (known < 0 || values === null || packed.text(known, field) !== values[field])
    const places = [
      ...Object.values<KeyIndex>(this.keys).filter(({ data }) => isChanged(data.field)),
      ...Object.values<SortOrder>(this.orders).filter(
        ({ data }) => isChanged(data.field) || isChanged(data.otherwise),
      ),
    ]
    if (known >= 0) {
      this.removed(known, this.row(known))
      // They look at the row, so it must still be there.
      for (const each of places) each.remove(known)
      this.#objects.delete(known)
    }
    if (values !== null) {
      packed.put(slot, values)
      for (const each of places) each.add(slot)
      this.added(slot, this.#read(slot))
    } else {
      if (known >= 0) packed.remove(known)
      this.#data.free.push(slot)
    }
  }

  /** The values that `added` needs. */
  protected abstract readonly counted: readonly (keyof Row)[]
  protected abstract added(slot: number, row: Row): void
  protected abstract removed(slot: number, row: Row): void

  /**
   * The page of those slots of an order that match, or of all. Undefined if it is too much work.
   * All that match are in `range`.
   */
  protected scan(
    order: SortOrder,
    window: Window,
    matches: ((slot: number) => boolean) | null,
    range: KeyRange | null = null,
  ): Row[] | undefined {
    const { descending, backward, offset, limit } = window
    const [from, to] = placesOf(order, descending, window, range)
    const page: Row[] = []
    let scanned = 0
    let skipped = matches === null ? offset : 0
    order.in(descending).scan(from + skipped, to, backward, (slot) => {
      scanned += 1
      if (matches === null || (matches(slot) && (skipped += 1) > offset)) page.push(this.row(slot))
      return page.length < limit && scanned < MAX_SCANNED
    })
    return page.length < limit && scanned === MAX_SCANNED ? undefined : page
  }

  /** The page of those slots of the lists that match. */
  protected select(
    order: SortOrder,
    window: Window,
    lists: readonly (readonly number[])[],
    matches: (slot: number) => boolean,
  ): Row[] {
    const [from, to] = placesOf(order, window.descending, window)
    const page = order.in(window.descending).select(lists, matches, { ...window, from, to })
    return page.map((slot) => this.row(slot))
  }
}

/** The places of an order that are in the ranges. */
function placesOf(order: SortOrder, descending: boolean, ...ranges: (KeyRange | null)[]): [number, number] {
  const sorted = order.in(descending)
  const countBefore = (key: SortKey, orAt: boolean): number => {
    const compare = order.comparing(key, descending)
    return sorted.count(orAt ? (slot) => compare(slot) <= 0 : (slot) => compare(slot) < 0)
  }
  let [from, to] = [0, sorted.size]
  for (const { after = null, before = null } of ranges.filter((range) => range !== null)) {
    if (after !== null) from = Math.max(from, countBefore(after, true))
    if (before !== null) to = Math.min(to, countBefore(before, false))
  }
  return [from, to]
}

export function isIn(slots: readonly number[]): (slot: number) => boolean {
  const all = new Set(slots)
  return (slot) => all.has(slot)
}

function mapValues<Name extends string, From, To>(
  record: Readonly<Record<string, From>>,
  change: (value: From) => To,
): Record<Name, To> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)])) as Record<
    Name,
    To
  >
}
