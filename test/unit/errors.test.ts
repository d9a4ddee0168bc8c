import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ERRORS } from '../../src/domain/errors.ts'

const FOLDER = new URL('../../src/domain/errors/', import.meta.url)

test('every section is in the table, and no code in two of them', async () => {
  const sections = await Promise.all(
    readdirSync(FOLDER).map(
      async (file) => (await import(new URL(file, FOLDER).href)) as Record<string, object>,
    ),
  )
  const codes = sections
    .flatMap((section) => Object.values(section))
    .flatMap((entries) => Object.keys(entries))
  expect(codes.toSorted()).toEqual(Object.keys(ERRORS).toSorted())
})
