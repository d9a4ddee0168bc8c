import { expect, test } from 'vitest'
import { nearestName } from '../../../src/domain/nearest-name.ts'

const KNOWN = ['url', 'eventTypes', 'filterAgentPda', 'active', 'priorityLevel']

test.each([
  ['filterAgentPDA', 'filterAgentPda'],
  ['filter_agent_pda', 'filterAgentPda'],
  ['filteragentpad', 'filterAgentPda'],
  ['activ', 'active'],
  ['priority', 'priorityLevel'],
  ['URL', 'url'],
  ['eventType', 'eventTypes'],
  ['x', null],
  ['', null],
  ['colour', null],
  ['__proto__', null],
  ['a'.repeat(100_000), null],
])('%j is nearest to %j', (given, nearest) => {
  expect(nearestName(given, KNOWN)).toBe(nearest)
})

test('without known names, no name is near', () => {
  expect(nearestName('x', [])).toBeNull()
})
