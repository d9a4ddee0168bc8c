import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { steppingClock } from '../../support/wallet-client.ts'
import { FIXED_NOW, useTestApp } from '../../support/app.ts'
import { query } from '../../support/graphql.ts'

const clock = steppingClock(FIXED_NOW)
const t = useTestApp({ clock })
const counts = async (): Promise<number[]> =>
  (await query<{ registryEventsPerMinute: number[] }>(t, '{ registryEventsPerMinute }'))
    .registryEventsPerMinute

test('counts the events of the last hour by minute, without those that a fork removed', async () => {
  expect(await counts()).toEqual(Array(60).fill(0))
  // Ages in seconds. Those of another hour, or removed ones, do not count.
  await sql`
    insert into outbox_events (id, event_id, type, agent_pda, slot, body, occurred_at, cancelled_at)
    select 'evt_' || i, 'e' || i, 'agent.updated', 'pda', i, '{}', now() - age * interval '1 second', cancelled_at
    from (values (1, 5, null::timestamptz), (2, 50, null), (3, 90, null), (4, 3590, null),
      (5, 3700, null), (6, 5, now())) as rows (i, age, cancelled_at)`.execute(t.kysely)
  // The last answer is given for five seconds.
  expect(await counts()).toEqual(Array(60).fill(0))
  for (let i = 0; i < 5; i += 1) clock.step()
  const after = await counts()
  expect([after.length, after.at(-1), after.at(-2), after[0]]).toEqual([60, 2, 1, 1])
  expect(after.reduce((sum, each) => sum + each, 0)).toBe(4)
})

test('a ledger whose clock is ahead has its events in the last minutes', async () => {
  await sql`
    insert into outbox_events (id, event_id, type, agent_pda, slot, body, occurred_at)
    values ('ahead', 'ahead', 'agent.updated', 'pda', 9, '{}', now() + interval '7 days')`.execute(t.kysely)
  for (let i = 0; i < 5; i += 1) clock.step()
  const after = await counts()
  expect([after.at(-1), after.reduce((sum, each) => sum + each, 0)]).toEqual([1, 1])
})
