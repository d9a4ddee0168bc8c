import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { objectionable, productionDependencies } from '../../ops/licences.ts'

const dependencies = productionDependencies()

test('every production dependency has an accepted licence, and the files of the image have a pinned hash', () => {
  expect(dependencies.length).toBeGreaterThan(100)
  expect(dependencies.filter(objectionable)).toEqual([])
  expect(dependencies.filter(({ optional, pinned }) => !optional && !pinned)).toEqual([])
})

test('ops/licences.md lists them; `node ops/licences.ts` writes it', () => {
  const page = readFileSync(new URL('../../ops/licences.md', import.meta.url), 'utf8')
  const listed = [...page.matchAll(/^\| (\S+) +\| (\S+) +\| /gm)].map(
    ([, name, version]) => `${name} ${version}`,
  )
  expect(listed.filter((each) => /\d$|-/.test(each) && !each.startsWith('-')).toSorted()).toEqual(
    dependencies.map(({ name, version }) => `${name} ${version}`).toSorted(),
  )
})

test.each([['GPL-3.0-only'], ['AGPL-3.0-only'], ['unknown'], ['MIT AND GPL-2.0'], ['']])(
  '%j is not accepted',
  (licence) => {
    expect(objectionable({ licence })).toBe(true)
  },
)

test('one accepted licence of several alternatives is enough', () => {
  expect(objectionable({ licence: '(MIT OR GPL-3.0)' })).toBe(false)
})
