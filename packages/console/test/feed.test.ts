import { expect, test } from 'vitest'
import { type FeedEvent, feedReducer, type FeedState, NO_EVENTS } from '../src/pages/live/feed-state.ts'

const event = (id: number, type: FeedEvent['type'] = 'stake.deposited', agentPda = 'agent'): FeedEvent => ({
  id: String(id),
  type,
  agentPda,
  slot: id,
  signature: null,
  timestamp: '2026-11-21T06:29:22.123Z',
  data: {},
})
const arrive = (count: number, hold: boolean, state: FeedState = NO_EVENTS): FeedState =>
  Array.from({ length: count }, (_, id) => event(id)).reduce<FeedState>(
    (before, each) => feedReducer(before, { kind: 'arrived', event: each, hold }),
    { ...state, olderThan: 'cursor' },
  )

test('a page that is open for days keeps 2,000 events, also while it is paused', () => {
  const shown = arrive(2_100, false)
  expect([shown.shown.length, shown.fresh.size, shown.olderThan]).toEqual([2_000, 2_000, null])
  const paused = arrive(2_100, true, { ...NO_EVENTS, shown: [event(-1)] })
  expect([paused.held.length, paused.held[0]!.id]).toEqual([2_000, '2099'])
  const released = feedReducer(paused, { kind: 'released' })
  expect([released.shown.length, released.shown.at(-1)!.id, released.olderThan]).toEqual([2_000, '100', null])
})

test('an event gets the name that is known of its agent, except when the event can change the name', () => {
  const named = { ...event(1), agent: { pda: 'agent', name: 'Old' } }
  const add = (type: string, data: object = {}): FeedEvent => {
    const arrived = { ...event(2, type), data }
    return feedReducer({ ...NO_EVENTS, shown: [named] }, { kind: 'arrived', event: arrived, hold: false })
      .shown[0]!
  }
  expect(add('stake.deposited').agent?.name).toBe('Old')
  expect(add('agent.updated', { changes: { version: {} } }).agent?.name).toBe('Old')
  expect(add('agent.updated', { changes: { name: {} } }).agent).toBeUndefined()
  for (const type of ['agent.registered', 'agent.closed']) expect(add(type).agent).toBeUndefined()
  const waiting: FeedState = { ...NO_EVENTS, shown: [event(3)], held: [event(4, undefined, 'other')] }
  const after = feedReducer(waiting, { kind: 'named', pda: 'agent', agent: { pda: 'agent', name: 'New' } })
  expect([after.shown[0]!.agent?.name, after.held[0]!.agent]).toEqual(['New', undefined])
})
