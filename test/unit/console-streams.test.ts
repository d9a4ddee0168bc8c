import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type FieldNode, Kind, parse } from 'graphql'
import { expect, test } from 'vitest'

test('the streams of the console ask for nothing that costs units for each event', () => {
  const folder = fileURLToPath(new URL('../../packages/console/src/', import.meta.url))
  const subscriptions = globSync('**/*.graphql', { cwd: folder }).flatMap((file) =>
    parse(readFileSync(`${folder}${file}`, 'utf8')).definitions.filter(
      (each) => each.kind === Kind.OPERATION_DEFINITION && each.operation === 'subscription',
    ),
  )
  expect(subscriptions.length).toBeGreaterThan(1)
  const fields = JSON.stringify(subscriptions, (key, value: unknown) =>
    key === 'loc' ? undefined : (value as FieldNode),
  )
  expect(fields).not.toContain('"value":"agent"')
})
