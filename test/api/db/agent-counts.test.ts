import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import * as fc from '../../support/property.ts'
import { useTestDatabase } from '../../support/database.ts'

const database = useTestDatabase()

const kysely = () => database.orm.em.getKysely()

const upsert = (rows: { pda: string; tier: string; status: string; mismatch: boolean }[]) => sql`
  insert into agents
    select pda, 'owner', 'name', tier, status, 'other', 1, 0, '', '', '', mismatch, false, 0,
      now(), now(), now(), 'payer', 1, now(), now(), 1
    from json_to_recordset(${JSON.stringify(rows)}) as r(pda text, tier text, status text, mismatch boolean)
  on conflict (pda) do update
    set tier = excluded.tier, status = excluded.status, card_hash_mismatch = excluded.card_hash_mismatch`

const remove = (pdas: string[]) => sql`delete from agents where pda = any(${pdas})`

const EXACT = { surplus: [], missing: [] }

async function differences(): Promise<unknown> {
  const dimensions = sql`tier, status, service_category, card_hash_mismatch`
  const { rows } = await sql`
    select ${dimensions}, count from agent_counts where count <> 0
    except all select ${dimensions}, count(*) from agents group by ${dimensions}`.execute(kysely())
  const { rows: missing } = await sql`
    select ${dimensions}, count(*) from agents group by ${dimensions}
    except all select ${dimensions}, count from agent_counts`.execute(kysely())
  return { surplus: rows, missing }
}

const agent = fc.record({
  pda: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
  tier: fc.constantFrom('observer', 'basic'),
  status: fc.constantFrom('active', 'suspended'),
  mismatch: fc.boolean(),
})
const operation = fc.oneof(
  { weight: 4, arbitrary: fc.uniqueArray(agent, { selector: (each) => each.pda }).map(upsert) },
  { weight: 2, arbitrary: fc.array(agent.map((each) => each.pda)).map(remove) },
  { weight: 1, arbitrary: fc.constant(sql`truncate agents`) },
)

test('counts stay exact under inserts, upserts, deletes and truncation', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { maxLength: 8 }), async (operations) => {
      for (const each of operations) await each.execute(kysely())
      expect(await differences()).toEqual(EXACT)
    }),
    { numRuns: 60 },
  )
})

test('writers on several connections neither deadlock nor lose a count', async () => {
  const batch = (tier: string) =>
    Array.from({ length: 16 }, (_, i) => ({ pda: `${tier}-${i}`, tier, status: 'active', mismatch: false }))
  await Promise.all(
    ['observer', 'basic', 'observer', 'basic', 'premium'].map((tier, i) =>
      upsert(i % 2 === 0 ? batch(tier) : batch(tier).toReversed()).execute(kysely()),
    ),
  )
  expect(await differences()).toEqual(EXACT)
})

describe('totals of stakes', () => {
  const upsert = (rows: { pda: string; deposited: string; pending: string }[]) => sql`
  insert into stakes
    select pda, 'agent ' || pda, 'owner', deposited, 1, pending, 'payer', 1, 1
    from json_to_recordset(${JSON.stringify(rows)}) as r(pda text, deposited numeric, pending numeric)
  on conflict (pda) do update
    set deposited_amount = excluded.deposited_amount, pending_withdrawal = excluded.pending_withdrawal`

  const SUMS = sql`coalesce(sum(deposited_amount), 0)::text as deposited, coalesce(sum(locked_amount), 0)::text as locked,
  coalesce(sum(pending_withdrawal), 0)::text as pending`

  const amount = fc.constantFrom('0', '1', '18446744073709551615')
  const stake = fc.record({ pda: fc.constantFrom('a', 'b', 'c', 'd'), deposited: amount, pending: amount })
  const operation = fc.oneof(
    { weight: 4, arbitrary: fc.uniqueArray(stake, { selector: (each) => each.pda }).map(upsert) },
    {
      weight: 2,
      arbitrary: fc
        .array(fc.constantFrom('a', 'b', 'c'))
        .map((pdas) => sql`delete from stakes where pda = any(${pdas})`),
    },
    { weight: 1, arbitrary: fc.constant(sql`truncate stakes`) },
  )

  test('the totals stay exact under inserts, upserts, deletes and truncation', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 8 }), async (operations) => {
        for (const each of operations) await each.execute(kysely())
        const kept = await sql`select count, ${SUMS} from stake_totals group by count`.execute(kysely())
        const summed = await sql`select count(*) as count, ${SUMS} from stakes`.execute(kysely())
        expect(kept.rows).toEqual(summed.rows)
      }),
      { numRuns: 60 },
    )
  })
})

describe('events and changes of deposits by hour', () => {
  const upsert = (rows: { id: string; type: string; at: string; amount: string; gone: boolean }[]) => sql`
    insert into outbox_events (id, event_id, type, agent_pda, slot, body, occurred_at, cancelled_at)
      select id, id, type, 'agent', 1, format('{"data":{"amount":%s}}', amount), at, case when gone then now() end
      from json_to_recordset(${JSON.stringify(rows)}) as r(id text, type text, at timestamptz, amount text, gone boolean)
    on conflict (id) do update set occurred_at = excluded.occurred_at, body = excluded.body,
      cancelled_at = excluded.cancelled_at`

  const event = fc.record({
    id: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    type: fc.constantFrom('stake.deposited', 'stake.withdrawn', 'stake.withdrawal_requested', 'agent.closed'),
    at: fc.constantFrom('2026-11-20T10:00:00Z', '2026-11-20T10:59:59.999Z', '2026-11-20T11:00:00Z'),
    amount: fc.constantFrom('1', '18446744073709551615'),
    gone: fc.boolean(),
  })
  const operation = fc.oneof(
    { weight: 4, arbitrary: fc.uniqueArray(event, { selector: (each) => each.id }).map(upsert) },
    {
      weight: 2,
      arbitrary: fc
        .array(fc.constantFrom('a', 'b', 'c'))
        .map((ids) => sql`delete from outbox_events where id = any(${ids})`),
    },
    { weight: 1, arbitrary: fc.constant(sql`truncate outbox_events cascade`) },
  )

  test('they stay exact under inserts, upserts, forks, deletes and truncation', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 8 }), async (operations) => {
        for (const each of operations) await each.execute(kysely())
        const kept = await sql`
          select hour, count, deposited_change::text as change from registry_hours where count <> 0
          order by hour`.execute(kysely())
        const summed = await sql`
          select date_trunc('hour', occurred_at, 'UTC') as hour, count(*) as count,
            sum(case type when 'stake.deposited' then 1 when 'stake.withdrawn' then -1 else 0 end
              * (body::jsonb->'data'->>'amount')::numeric)::text as change
          from outbox_events where cancelled_at is null group by 1 order by 1`.execute(kysely())
        expect(kept.rows).toEqual(summed.rows)
        const { rows } =
          await sql`select from registry_hours where count = 0 and deposited_change <> 0`.execute(kysely())
        expect(rows).toEqual([])
      }),
      { numRuns: 60 },
    )
  })
})
