import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createWorkerWorld, type WorkerWorld } from '../../support/webhooks/worker-world.ts'

let world: WorkerWorld
beforeAll(async () => {
  world = await createWorkerWorld()
})
afterEach(() => world.reset())
afterAll(() => world.close())

const enqueued = async (subscriptionId: string): Promise<string[]> =>
  (await world.deliveries(subscriptionId)).map((row) => row.event_id)

test('an event is enqueued only for active webhooks that match its type and agent', async () => {
  const all = await world.subscribe('/all')
  const typed = await world.subscribe('/typed', { event_types: ['stake.deposited', 'agent.closed'] })
  const filtered = await world.subscribe('/filtered', { filter_agent_pda: 'b' })
  const both = await world.subscribe('/both', { filter_agent_pda: 'b', event_types: ['agent.closed'] })
  const off = await world.subscribe('/off', { active: false })
  const deleted = await world.subscribe('/deleted')
  await world.kysely
    .updateTable('webhook_subscriptions')
    .set({ deleted_at: new Date().toISOString() })
    .where('id', '=', deleted)
    .execute()
  const [a1, a2, b1, b2] = await world.emit(
    { agent: 'a', type: 'agent.updated' },
    { agent: 'a', type: 'agent.closed' },
    { agent: 'b', type: 'stake.deposited' },
    { agent: 'b', type: 'agent.closed' },
  )
  expect(await enqueued(all)).toEqual([a1, a2, b1, b2])
  expect(await enqueued(typed)).toEqual([a2, b1, b2])
  expect(await enqueued(filtered)).toEqual([b1, b2])
  expect(await enqueued(both)).toEqual([b2])
  expect(await enqueued(off)).toEqual([])
  expect(await enqueued(deleted)).toEqual([])
})

test('writing an event again enqueues nothing, even for webhooks that were created later', async () => {
  const first = await world.subscribe('/first')
  const [event] = await world.emit({ id: 'evt_again', slot: 5 })
  const later = await world.subscribe('/later')
  await world.emit({ id: 'evt_again', slot: 5 })
  expect(await enqueued(first)).toEqual([event])
  expect(await enqueued(later)).toEqual([])
})
