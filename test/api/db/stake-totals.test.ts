import * as fc from '../../support/property.ts'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const kysely = () => database.orm.em.getKysely()

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
