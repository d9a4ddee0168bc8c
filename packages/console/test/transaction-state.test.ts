import * as fc from '../../../test/support/property.ts'
import { expect, test } from 'vitest'
import type { Problem } from '../src/transaction/problem.ts'
import { DRAFT, type Event, isUnfinished, mayPrepareAgain, next, resumed } from '../src/transaction/state.ts'

const problem: Problem = {
  title: 'Title',
  text: 'Text',
  advice: 'Advice',
  id: null,
  logs: [],
  isLasting: false,
}
const prepared = { bytes: new Uint8Array(1), program: 'program', lastValidBlockHeight: 150 }
const unfinished = { id: 'id', signedTx: 'AA==', signature: null, lastValidBlockHeight: 150 }
const transaction = { id: 'id', status: 'confirmed', signature: 's', error: null, slot: 1 } as never

const EVENTS: Event[] = [
  { kind: 'stopped', problem },
  { kind: 'prepared', prepared },
  { kind: 'sign' },
  { kind: 'signed', unfinished },
  { kind: 'passed' },
  { kind: 'unsure' },
  { kind: 'submitted' },
  { kind: 'refused', problem },
  { kind: 'lost' },
  { kind: 'landed', transaction },
  { kind: 'failed', problem },
  { kind: 'expired', problem },
]
const after = (...kinds: Event['kind'][]) =>
  kinds.map((kind) => EVENTS.find((event) => event.kind === kind)!).reduce(next, DRAFT)
const ENDS: ReadonlySet<string> = new Set(['landed', 'failed', 'expired'])

test('once a signature exists, only the ledger or the expiry ends a transaction, whatever happens', () => {
  const sequence = fc.array(fc.constantFrom(...EVENTS), { maxLength: 40 })
  const start = fc.constantFrom(DRAFT, after('prepared', 'sign', 'signed'), resumed(unfinished))
  fc.assert(
    fc.property(start, sequence, (first, events) => {
      let state = first
      let canLand = isUnfinished(first)
      for (const event of events) {
        const before = state
        state = next(before, event)
        const isEnd = canLand && ENDS.has(event.kind)
        canLand = (canLand && !isEnd) || (before.name === 'signing' && event.kind === 'signed')
        expect(isUnfinished(state)).toBe(canLand)
        expect(canLand && mayPrepareAgain(state)).toBe(false)
        expect(state.name).toBe(isEnd ? event.kind : state.name)
        expect(ENDS.has(before.name) && state !== before).toBe(false)
      }
    }),
    { numRuns: 2_000 },
  )
})

test('a transaction is drafted, prepared, signed, submitted and landed', () => {
  expect(after().name).toBe('draft')
  expect(after('prepared').name).toBe('prepared')
  expect(after('prepared', 'sign').name).toBe('signing')
  expect(after('prepared', 'sign', 'signed').name).toBe('submitting')
  expect(after('prepared', 'sign', 'signed', 'unsure').name).toBe('unknown')
  expect(after('prepared', 'sign', 'signed', 'unsure', 'submitted').name).toBe('submitting')
  expect(after('prepared', 'sign', 'signed', 'unsure', 'landed').name).toBe('landed')
})

test('nothing counts as signed before the reader has agreed', () => {
  expect(after('prepared', 'signed').name).toBe('prepared')
  expect(after('signed', 'landed')).toBe(DRAFT)
})

test('an outcome is lost only after the last block height, and then no new preparation is offered', () => {
  expect(after('prepared', 'sign', 'signed', 'lost')).toMatchObject({ name: 'unknown', chance: 'can land' })
  const lost = after('prepared', 'sign', 'signed', 'passed', 'lost')
  expect(lost).toMatchObject({ name: 'unknown', chance: 'lost' })
  expect(mayPrepareAgain(lost)).toBe(false)
})
