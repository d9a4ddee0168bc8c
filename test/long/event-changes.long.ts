import { expect, test } from 'vitest'
import { checkEventsEqualChanges, describeCounts } from '../support/ledger/event-property.ts'

const RUNS = Number(process.env.EVENT_CHANGES_RUNS ?? 5_000)

test(`in ${RUNS} generated transactions the events equal the changes of the accounts`, async () => {
  const counts = await checkEventsEqualChanges(RUNS)
  process.stdout.write(`${describeCounts(counts)}, 0 differences\n`)
  expect(counts).toMatchObject({ sent: RUNS })
  expect(counts.events).toBeGreaterThan(RUNS / 10)
  expect(counts.truncated).toBeGreaterThan(RUNS / 100)
})
