import { expect, test } from 'vitest'
import type { TransactionsContext } from '../../../src/transactions/context.ts'
import { createExpiryLoop } from '../../../src/transactions/tracker.ts'

const HOUR = 3_600_000

test('old rows are deleted at the start and then once an hour, and the ledger is read only for open rows', async () => {
  const times = [0, HOUR - 1, HOUR, HOUR + 1, 2 * HOUR - 1, 2 * HOUR].map((time) => time + 5 * HOUR)
  const deleted: number[] = []
  const ended = Promise.withResolvers<void>()
  let now = 0
  // A fake store that lets the time of each step be chosen.
  const loop = createExpiryLoop({
    clock: { now: () => now },
    timing: { finalityPollMs: 0 },
    logger: { warn: (problem: unknown) => ended.reject(new Error(JSON.stringify(problem))) },
    rpc: { call: () => Promise.reject(new Error('nothing is open')) },
    store: {
      countOpen: async () => {
        const next = times.shift()
        if (next === undefined) ended.resolve()
        now = next ?? now
        return { submitted: 9, unsubmitted: 0 }
      },
      deleteOld: async (time: number) => deleted.push(time),
    },
  } as unknown as TransactionsContext)
  loop.start()
  await ended.promise
  await loop.stop()
  expect(deleted).toEqual([5 * HOUR, 6 * HOUR, 7 * HOUR])
})
