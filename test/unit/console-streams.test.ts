import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Kind, parse, separateOperations, visit } from 'graphql'
import { expect, test } from 'vitest'

test('the streams of the console ask for nothing that costs units for each event', () => {
  const folder = fileURLToPath(new URL('../../packages/console/src/', import.meta.url))
  // Each operation with the fragments that it uses.
  const operations = globSync('**/*.graphql', { cwd: folder }).flatMap((file) =>
    Object.values(separateOperations(parse(readFileSync(`${folder}${file}`, 'utf8')))),
  )
  const subscriptions = operations.filter(({ definitions }) =>
    definitions.some((each) => each.kind === Kind.OPERATION_DEFINITION && each.operation === 'subscription'),
  )
  expect(subscriptions.length).toBeGreaterThan(1)
  const fields = new Set<string>()
  for (const subscription of subscriptions)
    visit(subscription, { Field: ({ name }) => void fields.add(name.value) })
  expect(fields).toContain('depositedAmount')
  expect(fields).not.toContain('agent')
  expect(fields).not.toContain('transaction')
})
