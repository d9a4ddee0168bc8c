import { expect, test } from 'vitest'
import accepted from '../../../schema/breaking-changes.json' with { type: 'json' }
import { newBreaks } from '../../../schema/compatibility.ts'

const BEFORE = 'type Query { agent(pda: String): String stake: String! }'
const REMOVED = 'FIELD_REMOVED: Field Query.stake was removed.'

test('breaking changes are reported, additions are not', () => {
  expect(newBreaks(BEFORE, 'type Query { agent: String! }', [])).toEqual([
    expect.stringContaining('Query.stake was removed'),
    expect.stringContaining('Query.agent(pda:) was removed'),
  ])
  expect(newBreaks(BEFORE, `${BEFORE} extend type Query { more(a: Int): Int }`, [])).toEqual([])
})

test('a breaking change is accepted if it is listed with a reason', () => {
  const after = 'type Query { agent(pda: String): String }'
  expect(newBreaks(BEFORE, after, [])).toEqual([REMOVED])
  expect(newBreaks(BEFORE, after, [{ change: REMOVED, reason: 'nobody could use it' }])).toEqual([])
  expect(newBreaks(BEFORE, after, [{ change: REMOVED, reason: ' ' }])).toEqual([REMOVED])
})

test('every accepted change is a change as the check prints it, is listed once and has a reason', () => {
  for (const { change, reason } of accepted) {
    expect(change).toMatch(/^[A-Z_]+: .+\.$/)
    expect(reason).toMatch(/^[A-Z`].+\.$/)
  }
  expect(new Set(accepted.map(({ change }) => change)).size).toBe(accepted.length)
})
