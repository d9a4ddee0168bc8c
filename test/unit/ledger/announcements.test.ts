import { expect, test } from 'vitest'
import { Announcements } from '../../../src/ledger/indexer/announcements.ts'
import type { IndexerContext } from '../../../src/ledger/indexer/context.ts'

test('without a WebSocket nothing is connected and nothing is announced', () => {
  const announcements = new Announcements({ options: { clock: { now: () => 0 } } } as IndexerContext)
  expect(announcements.isConnected).toBe(false)
  expect(announcements.hasUnlisted).toBe(false)
  announcements.close()
})
