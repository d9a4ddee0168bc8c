import { expect, test } from 'vitest'
import { cellOf } from '../src/ui/export.tsx'

test.each([
  ['Weather Scout', 'Weather Scout'],
  ['a, "b"\nc', '"a, ""b""\nc"'],
  [null, ''],
  [-12, '-12'],
  [{ old: '1' }, '"{""old"":""1""}"'],
  // Spreadsheets would run these names of agents.
  ['=HYPERLINK("https://evil.example")', `"'=HYPERLINK(""https://evil.example"")"`],
  ['a;=1+1', `"a;'=1+1"`],
  // Changes of the reputation.
  ['+12', '+12'],
  ['-5', '-5'],
  ['-1+2', "'-1+2"],
  ['@SUM(A1)', "'@SUM(A1)"],
])('the value %j is the cell %s', (value, cell) => {
  expect(cellOf(value)).toBe(cell)
})
