import { expect, test } from 'vitest'
import type { EventFieldsFragment } from '../src/events/events.generated.ts'
import { feedReducer, type FeedState, NO_EVENTS } from '../src/pages/live/feed.ts'

const event = (id: number): EventFieldsFragment => ({
  __typename: 'StakeDepositedEvent',
  id: String(id),
  type: 'STAKE_DEPOSITED',
  agentPda: 'agent',
  agentName: 'Agent',
  owner: 'owner',
  slot: id,
  signature: null,
  timestamp: '2026-11-21T06:29:22.123Z',
  stakePda: 'stake',
  amount: '1',
  depositedAmount: '1',
  lockedAmount: '0',
  pendingWithdrawal: '0',
})
const arrive = (count: number, hold: boolean, state: FeedState = NO_EVENTS): FeedState =>
  Array.from({ length: count }, (_, id) => event(id)).reduce<FeedState>(
    (before, each) => feedReducer(before, { kind: 'arrived', event: each, hold }),
    { ...state, olderThan: 'cursor' },
  )

test('a page that is open for days keeps 2,000 events, also while it is paused', () => {
  const shown = arrive(2_100, false)
  expect([shown.shown.length, shown.olderThan]).toEqual([2_000, null])
  expect(shown.shown.every(({ isFresh }) => isFresh)).toBe(true)
  const paused = arrive(2_100, true, { ...NO_EVENTS, shown: [event(-1)] })
  expect([paused.held.length, paused.held[0]!.id]).toEqual([2_000, '2099'])
  const released = feedReducer(paused, { kind: 'released' })
  expect([released.shown.length, released.shown.at(-1)!.id, released.olderThan]).toEqual([2_000, '100', null])
})
