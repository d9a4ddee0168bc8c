import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import * as sections from '../../../src/domain/error-table.ts'
import { ERRORS } from '../../../src/domain/errors.ts'

test('every section is in the table, and no code in two of them', () => {
  const codes = Object.values(sections).flatMap((section) => Object.keys(section))
  expect(codes.toSorted()).toEqual(Object.keys(ERRORS).toSorted())
})

/** Whether a test names the code, or has a line with all fixed parts of its message in order. */
const isTested = (tests: string, code: string, message: string): boolean => {
  const parts = message.split(/\{\w+\}/).map((part) => part.trim())
  const text = parts.map((part) => RegExp.escape(part)).join('.*')
  // A short text can be a part of another message.
  const isSpecific = parts.join('').length > 12
  return new RegExp(`\\b${code}\\b`).test(tests) || (isSpecific && new RegExp(text).test(tests))
}

test('every error is in the assertion of a test, with its code or its message', () => {
  const root = new URL('../../../', import.meta.url)
  // The tables of attacks have the texts that their tests expect.
  const files = globSync('test/**/{*.test,*.long,hostile-*}.ts', { cwd: root })
  // Tests check each row of the page of limits with its code.
  const texts = [...files, 'docs/reference/limits.md'].map((file) =>
    readFileSync(new URL(file, root), 'utf8'),
  )
  const tests = texts.join('\n').replaceAll(/\\(?=[^a-z])/g, '')
  const untested = Object.entries(ERRORS).filter(([code, { message }]) => !isTested(tests, code, message))
  expect(untested.map(([code]) => code)).toEqual([])
})
