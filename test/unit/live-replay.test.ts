import { expect, test, vi } from 'vitest'
import type { Feed } from '../../src/live-events/feed.ts'
import { registryEvents } from '../../src/live-events/registry-events.ts'

test('pages of the database cost units, although no event of them matches', async () => {
  const ending = new AbortController()
  const feed = {
    position: 20_000,
    after: (position: number) => (position < 20_000 ? null : []),
    nextChange: async () => ending.abort(),
  } as unknown as Feed
  const charge = vi.fn<() => void>()
  const read = async (after: number) => ({ rows: [], upTo: after + 5_000 })
  const events = registryEvents({ feed, read, filter: {}, after: 0, charge, signal: ending.signal })
  expect(await events.next()).toEqual({ done: true, value: undefined })
  expect(charge).toHaveBeenCalledTimes(4)
})
