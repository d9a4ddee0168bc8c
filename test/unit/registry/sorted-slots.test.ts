import { expect, test } from 'vitest'
import { type OrderOf, SortOrder, type SortValue } from '../../../src/registry/sort-order.ts'
import { PackedRows } from '../../../src/registry/packed-rows.ts'
import { TableLoader } from '../../../src/registry/table-data.ts'
import * as fc from '../../support/property.ts'

/** Enough for several blocks, which are split and merged. */
const START = 3_000
const pdaOf = (slot: number): string => String(slot).padStart(6, '0')

function loadOrder(values: readonly SortValue[], order: Omit<OrderOf, 'field'>) {
  const orders = { tested: { ...order, field: 1 } }
  const loader = new TableLoader({ name: '', columns: ['', ''], keys: {}, orders })
  for (const [slot, value] of values.entries()) loader.add([pdaOf(slot), String(value)])
  const data = loader.finish()
  const rows = new PackedRows(data.rows)
  return { rows, order: new SortOrder(rows, data.orders['tested']!) }
}

function scanned(
  order: SortOrder,
  descending: boolean,
  from: number,
  to: number,
  backward: boolean,
): number[] {
  const slots: number[] = []
  order.in(descending).scan(from, to, backward, (slot) => slots.push(slot) > 0)
  return slots
}

const change = fc.record({
  kind: fc.constantFrom('add', 'remove', 'change'),
  /** A run of slots, so that blocks fill up and become empty. */
  first: fc.integer({ min: 0, max: START * 2 }),
  count: fc.integer({ min: 1, max: 900 }),
  value: fc.constantFrom(-1.5, 1, 2, 2.5, 40),
})

test('an order is that of a sorted array after each change, in both directions', () => {
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 8 }), (changes) => {
      const values = new Map(Array.from({ length: START }, (_, slot) => [slot, (slot % 7) - 1]))
      const { rows, order } = loadOrder([...values.values()], { by: 'number' })
      for (const { kind, first, count, value } of changes)
        for (let slot = first; slot < first + count; slot++) {
          if (values.has(slot) === (kind === 'add')) continue
          if (values.has(slot)) order.remove(slot)
          else if (kind !== 'add') continue
          if (kind === 'remove') {
            rows.remove(slot)
            values.delete(slot)
            continue
          }
          rows.put(slot, [pdaOf(slot), String(value)])
          order.add(slot)
          values.set(slot, value)
        }
      for (const descending of [false, true]) {
        const direction = descending ? -1 : 1
        const sorted = [...values.keys()].toSorted(
          (one, other) => direction * (values.get(one)! - values.get(other)!) || one - other,
        )
        expect(scanned(order, descending, 0, sorted.length, false)).toEqual(sorted)
        const [from, to] = [Math.floor(sorted.length / 3), Math.floor(sorted.length / 2)]
        expect(scanned(order, descending, from, to, true)).toEqual(sorted.slice(from, to).toReversed())
        const compare = order.comparing([2, pdaOf(50)], descending)
        const isBefore = (slot: number) => compare(slot) < 0
        expect(order.in(descending).count(isBefore)).toBe(sorted.filter(isBefore).length)
        for (const backward of [false, true]) {
          const isChosen = (slot: number) => slot % 5 < 2
          const lists = [sorted.slice(0, 700).toReversed(), sorted.slice(700)]
          const inside = sorted.slice(from, to).filter(isChosen)
          const page = { from, to, backward, offset: 20, limit: 700 }
          expect(order.in(descending).select(lists, isChosen, page)).toEqual(
            (backward ? inside.toReversed() : inside).slice(20, 720),
          )
        }
      }
    }),
    { numRuns: 30 },
  )
})

test('texts are sorted like their bytes in UTF-8', () => {
  const texts = [
    '',
    'Z',
    'Zebra cro',
    'Zebra crossing',
    'Zebra crossings',
    'Zebra!',
    'a',
    'a'.repeat(300),
    'é',
    '\u{d7ff}',
    '\u{e000}',
    'ﬁ',
    '\u{ffff}',
    '𝒜',
    '😀',
    '😀\u{e000}',
    '😀😀',
    '\u{10ffff}',
  ]
  const byBytes = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other))
  const sorted = texts.toSorted(byBytes)
  const { rows, order } = loadOrder(texts.toReversed(), { by: 'text' })
  const shown = (descending: boolean) =>
    scanned(order, descending, 0, texts.length, false).map((slot) => rows.text(slot, 1))
  expect(shown(false)).toEqual(sorted)
  expect(shown(true)).toEqual(sorted.toReversed())
  for (const [i, text] of sorted.entries()) {
    const compare = order.comparing([text, ''], false)
    expect(order.in(false).count((slot) => compare(slot) < 0)).toBe(i)
  }
})

test('amounts are sorted by their value, and ASCII without case', () => {
  const amounts = ['9', '18446744073709551615', '10', '0', '9999999999999999999', '18446744073709551614']
  const byAmount = loadOrder(amounts, { by: 'digits' })
  expect(scanned(byAmount.order, false, 0, amounts.length, false).map((slot) => amounts[slot])).toEqual(
    amounts.toSorted((one, other) => Number(BigInt(one) - BigInt(other) > 0n) * 2 - 1),
  )
  const above = byAmount.order.comparing(['10', ''], false)
  expect(byAmount.order.in(false).count((slot) => above(slot) < 0)).toBe(2)
  const names = ['b', 'AA', 'Ab', 'aB', 'B', 'a']
  const byName = loadOrder(names, { by: 'lower case' })
  expect(scanned(byName.order, false, 0, names.length, false).map((slot) => names[slot])).toEqual([
    'a',
    'AA',
    'Ab',
    'aB',
    'b',
    'B',
  ])
})
