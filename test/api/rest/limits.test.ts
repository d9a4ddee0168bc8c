import { expect, test } from 'vitest'
import { type Cases, numbersOf, readRows } from './limits/check.ts'
import { credentialCases } from './limits/credentials.ts'
import { moneyCases } from './limits/money.ts'
import { requestCases } from './limits/requests.ts'
import { streamCases } from './limits/streams.ts'
import { walletCases } from './limits/wallets.ts'

const CASES: Cases = { ...requestCases, ...streamCases, ...moneyCases, ...walletCases, ...credentialCases }
const ROWS = readRows().map((row) => [`${row.section}: ${row.name}`, row] as const)
const NAMES = Object.entries(CASES).flatMap(([section, cases]) =>
  Object.keys(cases).map((name) => `${section}: ${name}`),
)
test('every case belongs to a row', () => {
  expect(NAMES.toSorted()).toEqual(ROWS.map(([name]) => name).toSorted())
})

test.each(ROWS)('%s', async (_, row) => {
  const found = CASES[row.section]?.[row.name]
  if (found === undefined) throw new Error('this row has no case')
  const checks = [found].flat()
  const numbers = numbersOf(row)
  expect(numbers, 'a check for each number').toHaveLength(checks.length)
  for (const [i, check] of checks.entries()) await check(numbers[i]!, row)
})
