import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAgentReads } from '../../../src/agents/agent-reads.ts'
import type { Database } from '../../../src/db/database.ts'
import { createDidResolver } from '../../../src/identity/did-document.ts'
import { createStakeReads } from '../../../src/stakes/stake-reads.ts'
import { createTestApp, type TestApp } from '../../support/app.ts'
import {
  agentRow,
  insertAgents,
  insertHistory,
  insertStakes,
  keyOf,
  stakeRow,
} from '../../support/factories.ts'

/** A role that may read what the test grants. Roles belong to the server, so the name is unique. */
const ROLE = `cached_tables_reader_${process.pid}`

let t: TestApp
beforeAll(async () => {
  t = await createTestApp({ ledger: { call: () => Promise.reject(new Error('not asked')) } })
  await insertAgents(t.kysely, [agentRow('One')])
  await insertStakes(t.kysely, [stakeRow('One')])
  await insertHistory(t.kysely, 'One', [{}])
  await sql.raw(`create role ${ROLE}`).execute(t.kysely)
})
afterAll(async () => {
  await sql.raw(`drop owned by ${ROLE}`).execute(t.kysely)
  await sql.raw(`drop role ${ROLE}`).execute(t.kysely)
  await t.close()
})

const pda = keyOf('agent One')
const agents = (kysely: Kysely<Database>) => createAgentReads(kysely)

/** Written only by triggers of the table, in the same statement. */
const DERIVED: Record<string, readonly string[]> = { stakes: ['stake_totals'] }

/** The service call of each cacheable route, with the tables that the route names. */
test.each<[string, string[], (kysely: Kysely<Database>) => Promise<unknown>]>([
  ['/agents', ['agents'], (db) => agents(db).list({})],
  ['/agents?name', ['agents'], (db) => agents(db).list({ name: 'One', minReputation: 1 })],
  ['/agents/:pda', ['agents'], (db) => agents(db).get(pda)],
  ['/agents/:pda/history', ['agents', 'history'], (db) => agents(db).history(pda, {})],
  ['/stakes', ['stakes'], (db) => createStakeReads(db).list({})],
  ['/stakes/:pda', ['stakes'], (db) => createStakeReads(db).get(keyOf('stake One'))],
  [
    '/did/:did',
    ['agents'],
    (db) => createDidResolver(agents(db), pda).resolve(`did:sol:${keyOf('owner One')}`),
  ],
])('%s reads only the tables of %j', async (_, groups, read) => {
  const { rows } = await sql<{ name: string }>`
    select distinct tgrelid::regclass::text as name from pg_trigger
    where tgfoid = 'record_read_version'::regproc and encode(tgargs, 'escape') like any(${groups.map((each) => `${each}%`)})
  `.execute(t.kysely)
  expect(rows.length).toBeGreaterThan(0)
  await t.kysely.connection().execute(async (db) => {
    await sql.raw(`revoke all on all tables in schema public from ${ROLE}`).execute(db)
    const tables = rows.flatMap(({ name }) => [name].concat(DERIVED[name] ?? []))
    await sql.raw(`grant select on ${tables.join(', ')} to ${ROLE}`).execute(db)
    await sql.raw(`set role ${ROLE}`).execute(db)
    try {
      await expect(read(db)).resolves.toBeDefined()
      await expect(sql`select from rate_limits`.execute(db)).rejects.toThrow('permission denied')
    } finally {
      await sql`reset role`.execute(db)
    }
  })
})
