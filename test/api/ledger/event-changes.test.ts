import { expect, test } from 'vitest'
import { checkEventsEqualChanges } from '../../support/ledger/event-property.ts'

test('whatever surrounds an instruction, the events equal the changes of the accounts', async () => {
  const counts = await checkEventsEqualChanges(150)
  expect(counts.events).toBeGreaterThan(0)
  expect(counts.succeeded).toBeLessThan(counts.sent)
})
