import { expect, test } from 'vitest'
import { type FeedEvent, feedReducer, type FeedState, NO_EVENTS } from '../src/pages/live/feed.ts'

const event = (id: number, agentPda = 'agent'): FeedEvent => ({
  __typename: 'StakeDepositedEvent',
  id: String(id),
  type: 'STAKE_DEPOSITED',
  agentPda,
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
  expect([shown.shown.length, shown.fresh.size, shown.olderThan]).toEqual([2_000, 2_000, null])
  const paused = arrive(2_100, true, { ...NO_EVENTS, shown: [event(-1)] })
  expect([paused.held.length, paused.held[0]!.id]).toEqual([2_000, '2099'])
  const released = feedReducer(paused, { kind: 'released' })
  expect([released.shown.length, released.shown.at(-1)!.id, released.olderThan]).toEqual([2_000, '100', null])
})

const NO_CHANGES = {
  name: null,
  serviceCategory: null,
  capabilities: null,
  version: null,
  agentCardUrl: null,
  agentCardHash: null,
}

test('an event gets the name that is known of its agent, except when the event can change the name', () => {
  const named = { ...event(1), agent: { pda: 'agent', name: 'Old' } }
  const add = (members: object = {}): FeedEvent => {
    const arrived = { ...event(2), ...members } as FeedEvent
    return feedReducer({ ...NO_EVENTS, shown: [named] }, { kind: 'arrived', event: arrived, hold: false })
      .shown[0]!
  }
  const update = (changes: object) =>
    add({ __typename: 'AgentUpdatedEvent', type: 'AGENT_UPDATED', changes: { ...NO_CHANGES, ...changes } })
  expect(add().agent?.name).toBe('Old')
  expect(update({ version: { old: '1', new: '2' } }).agent?.name).toBe('Old')
  expect(update({ name: { old: 'Old', new: 'New' } }).agent).toBeUndefined()
  expect(add({ __typename: 'AgentRegisteredEvent', type: 'AGENT_REGISTERED' }).agent).toBeUndefined()
  expect(add({ __typename: 'AgentClosedEvent', type: 'AGENT_CLOSED' }).agent).toBeUndefined()
  const waiting: FeedState = { ...NO_EVENTS, shown: [event(3)], held: [event(4, 'other')] }
  const after = feedReducer(waiting, { kind: 'named', pda: 'agent', agent: { pda: 'agent', name: 'New' } })
  expect([after.shown[0]!.agent?.name, after.held[0]!.agent]).toEqual(['New', undefined])
})
