import type { Change } from './changes.ts'
import { selectWindow } from './select-window.ts'
import type { Pause, SortedSlots, SortKey, SortOrder, SortValue } from './sort-order.ts'

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

export interface CountedPage<Row> {
  readonly total: number
  readonly rows: Row[]
}

/** The window with other values in its keys. */
export function withKeys(window: Window, valueOf: (value: SortValue) => SortValue): Window {
  const keyOf = (key: SortKey | null): SortKey | null => key && [valueOf(key[0]), key[1]]
  return { ...window, after: keyOf(window.after), before: keyOf(window.before) }
}

/** Longer work would delay other requests: PostgreSQL does it. */
export const MAX_SCANNED = 100_000
export const MAX_SELECTED = 20_000
/** For objects, lookups and orders, measured. */
const BYTES_PER_ROW = 240
const BYTES_PER_TEXT = 20
const MAX_SHARED = 64

type Values = Record<string, unknown>

const PARTS = 64

/** A Map in parts: a whole one with a million texts would stop everything while it grows. */
class TextMap<Value> {
  size = 0
  readonly #parts = Array.from({ length: PARTS }, () => new Map<string, Value>())

  get(text: string): Value | undefined {
    return this.#partOf(text).get(text)
  }

  set(text: string, value: Value): void {
    const part = this.#partOf(text)
    const before = part.size
    part.set(text, value)
    this.size += part.size - before
  }

  delete(text: string): void {
    if (this.#partOf(text).delete(text)) this.size -= 1
  }

  #partOf(text: string): Map<string, Value> {
    // Keys differ in their last characters.
    const { length } = text
    const ending = text.charCodeAt(length - 1) * 7 + text.charCodeAt(length - 2)
    // Not a number for texts of less than two characters.
    return this.#parts[(ending | 0) % PARTS]!
  }
}

/**
 * All rows of a table, by slot. A slot is a small number that is reused after its row is removed.
 */
export abstract class TableCopy<Row extends { readonly pda: string }> {
  bytes = 0
  protected readonly rows: (Row | undefined)[] = []
  readonly #slots = new TextMap<number>()
  readonly #free: number[] = []
  readonly #names: readonly string[]
  readonly #template: Values
  /** Texts that many rows have, by property. */
  readonly #texts: readonly Map<string, string>[]

  /** The names of the row's properties are those of the first values that `put` is given. */
  constructor(names: readonly string[]) {
    this.#names = names
    this.#texts = names.map(() => new Map())
    this.#template = Object.fromEntries(names.map((name) => [name, null]))
  }

  get size(): number {
    return this.#slots.size
  }

  get(pda: string): Row | null {
    const slot = this.#slots.get(pda)
    return slot === undefined ? null : this.rows[slot]!
  }

  find(pdas: readonly string[]): Row[] {
    return [...new Set(pdas)].flatMap((pda) => this.get(pda) ?? [])
  }

  /** Adds or replaces a row. */
  put(values: readonly unknown[]): void {
    const row = this.#rowOf(values)
    const known = this.#slots.get(row.pda)
    const slot = known ?? this.#free.pop() ?? this.rows.length
    const before = known === undefined ? null : this.rows[slot]!
    if (before !== null) this.bytes -= this.#bytesOf(before)
    this.bytes += this.#bytesOf(row)
    this.#slots.set(row.pda, slot)
    this.rows[slot] = row
    const sortValues = this.sortValues(row, values)
    for (let i = 0; i < sortValues.length; i++)
      if (before === null) this.orders[i]!.add(slot, sortValues[i]!)
      else this.orders[i]!.change(slot, sortValues[i]!)
    if (before !== null) this.removed(slot, before)
    this.added(slot, row, values)
  }

  apply({ pda, values }: Change): void {
    if (values === null) this.#remove(pda)
    else this.put(values)
  }

  /** Must be called once, after the first rows, which must be in the order of pda. */
  async build(pause: Pause): Promise<void> {
    for (const order of this.orders) await order.build(pause)
  }

  #remove(pda: string): void {
    const slot = this.#slots.get(pda)
    if (slot === undefined) return
    const row = this.rows[slot]!
    for (const order of this.orders) order.remove(slot)
    this.removed(slot, row)
    this.bytes -= this.#bytesOf(row)
    this.#slots.delete(pda)
    this.rows[slot] = undefined
    this.#free.push(slot)
  }

  #rowOf(values: readonly unknown[]): Row {
    // A copy has the shape of the template, so that all rows have the same hidden class.
    const row = { ...this.#template }
    for (let i = 0; i < this.#names.length; i++) row[this.#names[i]!] = this.#shared(values, i)
    return row as unknown as Row
  }

  /** The value, or an equal text that is in memory already. */
  #shared(values: readonly unknown[], at: number): unknown {
    const value = values[at]
    if (typeof value !== 'string') return value
    for (let i = 0; i < at; i++) if (values[i] === value) return values[i]
    const texts = this.#texts[at]!
    const known = texts.get(value)
    if (known === undefined && texts.size < MAX_SHARED) texts.set(value, value)
    return known ?? value
  }

  #bytesOf(row: Row): number {
    let bytes = BYTES_PER_ROW
    for (const name of this.#names) {
      const value = (row as Values)[name]
      if (typeof value === 'string') bytes += BYTES_PER_TEXT + value.length
    }
    return bytes
  }

  protected readonly pdaOf = (slot: number): string => this.rows[slot]!.pda

  protected abstract readonly orders: readonly SortOrder[]
  /** By order. The values are those of the select list. */
  protected abstract sortValues(row: Row, values: readonly unknown[]): readonly SortValue[]
  protected abstract added(slot: number, row: Row, values: readonly unknown[]): void
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
    const sorted: SortedSlots = order.in(descending)
    const startOf = (key: SortKey | null = null): number =>
      key === null ? 0 : sorted.count((slot) => order.compareKey(slot, key, descending) <= 0)
    const endOf = (key: SortKey | null = null): number =>
      key === null ? sorted.size : sorted.count((slot) => order.compareKey(slot, key, descending) < 0)
    const from = Math.max(startOf(window.after), startOf(range?.after))
    const to = Math.min(endOf(window.before), endOf(range?.before))
    const page: Row[] = []
    let scanned = 0
    let skipped = matches === null ? offset : 0
    sorted.scan(from + skipped, to, backward, (slot) => {
      scanned += 1
      if (matches === null || (matches(slot) && (skipped += 1) > offset)) page.push(this.rows[slot]!)
      return page.length < limit && scanned < MAX_SCANNED
    })
    return page.length < limit && scanned === MAX_SCANNED ? undefined : page
  }

  /** The page of these slots. */
  protected select(
    order: SortOrder,
    { descending, after, before, backward, offset, limit }: Window,
    slots: readonly number[],
  ): Row[] {
    const between = slots.filter(
      (slot) =>
        (after === null || order.compareKey(slot, after, descending) > 0) &&
        (before === null || order.compareKey(slot, before, descending) < 0),
    )
    const compare = order.compare(descending)
    const page = selectWindow(
      Uint32Array.from(between),
      backward ? (one, other) => compare(other, one) : compare,
      offset,
      Math.min(offset + limit, between.length),
    )
    return Array.from(page, (slot) => this.rows[slot]!)
  }
}

/** Slots by a value that few rows share. */
export class SlotGroups {
  readonly #groups = new TextMap<number | Set<number>>()

  add(value: string, slot: number): void {
    const group = this.#groups.get(value)
    if (group === undefined) this.#groups.set(value, slot)
    else if (typeof group === 'number') this.#groups.set(value, new Set([group, slot]))
    else group.add(slot)
  }

  remove(value: string, slot: number): void {
    const group = this.#groups.get(value)
    if (typeof group === 'object') group.delete(slot)
    if (group === slot || (typeof group === 'object' && group.size === 0)) this.#groups.delete(value)
  }

  /** Undefined if there are too many. */
  of(value: string): readonly number[] | undefined {
    const group = this.#groups.get(value)
    if (typeof group !== 'object') return group === undefined ? [] : [group]
    return group.size > MAX_SELECTED ? undefined : [...group]
  }
}
