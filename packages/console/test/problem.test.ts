import { expect, test } from 'vitest'
import { problemBefore, problemOf } from '../src/transaction/problem.ts'

test.each<[code: string | null, status: number | null, isLasting: boolean]>([
  ['simulation_failed', 400, true],
  ['execution_failed', null, true],
  ['INVITE_CODE_INVALID', 403, true],
  ['SPONSOR_BUDGET_USED', 503, true],
  ['INVALID_TEXT', 400, true],
  ['blockhash_expired', null, false],
  ['dropped', null, false],
  ['RATE_LIMITED', 429, false],
  ['OVERLOADED', 503, false],
  [null, null, false],
])('after %s with the status %s, another attempt fails, too: %s', (code, status, isLasting) => {
  const error = Object.assign(new Error('why'), { code, status })
  expect(problemOf(error, 'Title', null).isLasting).toBe(isLasting)
})

test('a wallet that refused may sign the next time', () => {
  expect(problemBefore(new Error('no'), 'signing').isLasting).toBe(false)
})
