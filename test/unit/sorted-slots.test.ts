import { expect, test } from 'vitest'
import { byteOrder, SortOrder } from '../../src/registry/sort-order.ts'
import * as fc from '../support/property.ts'

const NO_PAUSE = () => undefined

/** Enough for several blocks, which are split and merged. */
const START = 3_000
const pdaOf = (slot: number): string => String(slot).padStart(6, '0')

const change = fc.record({
  kind: fc.constantFrom('add', 'remove', 'change'),
  /** A run of slots, so that blocks fill up and become empty. */
  first: fc.integer({ min: 0, max: START * 2 }),
  count: fc.integer({ min: 1, max: 900 }),
  value: fc.constantFrom(1, 2, 2.5, 40),
})

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

test('an order is that of a sorted array after each change, in both directions', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 8 }), async (changes) => {
      const order = new SortOrder('number', pdaOf)
      const values = new Map<number, number>()
      for (let slot = 0; slot < START; slot++) {
        values.set(slot, slot % 7)
        order.add(slot, slot % 7)
      }
      await order.build(NO_PAUSE)
      for (const { kind, first, count, value } of changes)
        for (let slot = first; slot < first + count; slot++) {
          if (kind === 'add' && !values.has(slot)) order.add(slot, value)
          else if (kind === 'change' && values.has(slot)) order.change(slot, value)
          else if (kind === 'remove' && values.has(slot)) order.remove(slot)
          else continue
          if (kind === 'remove') values.delete(slot)
          else values.set(slot, value)
        }
      for (const descending of [false, true]) {
        const direction = descending ? -1 : 1
        const sorted = [...values.keys()].toSorted(
          (one, other) => direction * (values.get(one)! - values.get(other)!) || one - other,
        )
        expect(scanned(order, descending, 0, sorted.length, false)).toEqual(sorted)
        const [from, to] = [Math.floor(sorted.length / 3), Math.floor(sorted.length / 2)]
        expect(scanned(order, descending, from, to, true)).toEqual(sorted.slice(from, to).toReversed())
        const isBefore = (slot: number) => order.compareKey(slot, [2, pdaOf(50)], descending) < 0
        expect(order.in(descending).count(isBefore)).toBe(sorted.filter(isBefore).length)
      }
    }),
    { numRuns: 30 },
  )
})

test('texts are sorted like their bytes in UTF-8', () => {
  const texts = [
    '',
    'Z',
    'a',
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
  const byOrder = (one: string, other: string) => (byteOrder(one) < byteOrder(other) ? -1 : 1)
  expect(texts.toSorted(byBytes)).toEqual(texts)
  expect(texts.toReversed().toSorted(byOrder)).toEqual(texts)
})
