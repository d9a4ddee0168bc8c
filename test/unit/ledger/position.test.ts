import { expect, test } from 'vitest'
import { FINALITY_OVERLAP_SLOTS, positionAfter } from '../../../src/ledger/indexer/position.ts'

const TIP = 1_000
const LAST_UNCHECKED = TIP - FINALITY_OVERLAP_SLOTS

test.each([
  ['a final one below the overlap', 'finalized', LAST_UNCHECKED - 1, 'new'],
  ['a final one in the overlap', 'finalized', LAST_UNCHECKED, 'old'],
  ['a confirmed one', 'confirmed', LAST_UNCHECKED - 1, 'old'],
] as const)(
  'the next finality check lists down to the right transaction after %s',
  (_, status, slot, expected) => {
    const position = { cursor: { slot: 1, signature: 'old' }, finalizedSlot: 1, finalizedSignature: 'old' }
    const info = { signature: 'new', slot, err: null, confirmationStatus: status }
    expect(positionAfter(position, [info], TIP)).toEqual({
      cursor: { slot, signature: 'new' },
      finalizedSlot: 1,
      finalizedSignature: expected,
    })
    expect(positionAfter(position, [], TIP)).toBe(position)
  },
)
