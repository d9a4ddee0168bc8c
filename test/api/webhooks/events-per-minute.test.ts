import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { steppingClock } from '../../support/wallet-client.ts'
import { FIXED_NOW, useTestApp } from '../../support/app.ts'
import { post, query } from '../../support/graphql.ts'

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

interface Count {
  readonly from: string
  readonly events: number
}
const countsOf = async (hours: number): Promise<Count[]> =>
  (
    await query<{ registryEventCounts: Count[] }>(
      t,
      'query ($hours: Int) { registryEventCounts(hours: $hours) { from events } }',
      { hours },
    )
  ).registryEventCounts

const starts = (counts: readonly Count[]): number[] => counts.map(({ from }) => Date.parse(from))
const steps = (times: readonly number[]) => new Set(times.slice(1).map((time, i) => time - times[i]!))

test('the events of one hour are those of its minutes', async () => {
  const given = await countsOf(1)
  expect(given.map(({ events }) => events)).toEqual(await counts())
  expect([given.length, steps(starts(given))]).toEqual([60, new Set([60_000])])
})

test.each([
  [2, 2, 3_600_000],
  [84, 84, 3_600_000],
  [85, 43, 7_200_000],
  [168, 84, 7_200_000],
])('the events of %d hours are in %d periods of %d ms', async (hours, periods, ms) => {
  await sql`delete from outbox_events`.execute(t.kysely)
  const empty = await countsOf(hours)
  expect(empty.map(({ events }) => events)).toEqual(Array(periods).fill(0))
  const times = starts(empty)
  expect([steps(times), times[0]! % 3_600_000]).toEqual([new Set([ms]), 0])
  // The start of each period, the last millisecond of the last but one, and one before all.
  await sql`
    insert into outbox_events (id, event_id, type, agent_pda, slot, body, occurred_at)
    select 'at_' || i, 'at_' || i, 'agent.updated', 'pda', i, '{}', to_timestamp(time / 1000.0)
    from unnest(${[...times, times.at(-1)! - 1, times[0]! - 1]}::float[]) with ordinality as rows (time, i)`.execute(
    t.kysely,
  )
  const after = await countsOf(hours)
  expect(after.map(({ events }) => events)).toEqual([...Array<number>(periods - 2).fill(1), 2, 1])
})

test.each([0, 169])('refuses the events of %d hours', async (hours) => {
  const { errors } = await post(t, `{ registryEventCounts(hours: ${hours}) { events } }`)
  expect(errors?.[0]?.message).toContain(`hours must be an integer from 1 to 168, got ${hours}`)
})
