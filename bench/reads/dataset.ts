import { type Kysely, sql } from 'kysely'
import { registryIdl } from '@agent-registry/program'
import type { Database } from '../../src/db/database.ts'

/** The address of a kind of account of agent `i`. */
export const key = (kind: string) => sql`
  'A' || translate(left(md5(${sql.lit(kind)} || i) || md5(i || ${sql.lit(kind)}), 42), '0', 'z')`

const pick = (values: string) =>
  sql`(string_to_array(${sql.lit(values)}, ' '))[1 + floor(random() * ${sql.lit(
    values.split(' ').length,
  )})::int]`

/** Inserts agents number `from` to `to`, and a stake for every third. Their slot is the number. */
export async function insertAgents(work: Kysely<Database>, from: number, to: number): Promise<void> {
  await sql`
    insert into agents
    select ${key('agent')}, ${key('owner')},
      ${pick('Weather Market Cargo Legal Travel Health Energy Garden Harbor Signal Quantum Silver Atlas Nimbus Copper Meadow')}
        || ' ' || ${pick('Scout Broker Pilot Analyst Courier Warden Planner Oracle Curator Ranger Auditor Tutor')}
        || ' ' || left(md5(i::text), 3),
      ${pick('observer observer basic standard premium')}, ${pick('active active active active suspended deactivated')},
      ${pick('commerce dataAnalysis contentCreation customerService financial logistics development research other')},
      case when random() < 0.4 then 250 else floor(random() * 1001)::int end, floor(random() * 64)::int, '1.0.' || i % 40,
      'https://agents.example/cards/' || md5(i::text) || '.json', md5(i::text) || md5('h' || i), random() < 0.02, false, 0,
      now(), now(), now(), ${key('owner')}, 255,
      timestamptz '2026-01-01' + i * interval '7 seconds', timestamptz '2026-06-01' + i * interval '3 seconds', i
    from generate_series(${from}::int, ${to}::int) as i`.execute(work)
  await sql`
    insert into stakes
    select ${key('stake')}, ${key('agent')}, ${key('owner')}, i * 1000000::int8, 0, 0, ${key('owner')}, 254, i
    from generate_series(${from}::int, ${to}::int) as i where i % 3 = 1`.execute(work)
}

/** The row that an indexer writes first. Without it the service is not ready. */
export async function insertIndexerState(work: Kysely<Database>): Promise<void> {
  await sql`
    insert into indexer_state (program_id, genesis_hash, filled_at) values (${registryIdl.address}, 'bench', now())
    on conflict (id) do nothing`.execute(work)
}

export async function analyze(kysely: Kysely<Database>, tables: readonly string[]): Promise<void> {
  for (const table of tables) await sql`vacuum analyze ${sql.table(table)}`.execute(kysely)
}

/** Agents in a statement, so that none takes longer than its timeout. */
const STEP = 50_000

/**
 * Inserts agents by SQL, with a stake for every third and a history for every tenth. The data is
 * the same every time. Does nothing if the database was kept and has them.
 */
export async function makeDataset(kysely: Kysely<Database>, agents: number): Promise<void> {
  const { rows } = await sql`select from indexer_state`.execute(kysely)
  if (rows.length > 0) return
  await kysely.transaction().execute(async (work) => {
    await sql`select setseed(0.42)`.execute(work)
    for (let from = 1; from <= agents; from += STEP)
      await insertAgents(work, from, Math.min(agents, from + STEP - 1))
    await sql`
      with entries as (
        select 'evt_' || md5(i || '/' || n) as id, lpad(n::text, 20, '0') || '-000000-0000-0000' as position,
          ${key('agent')} as agent_pda, n, timestamptz '2026-02-01' + n * interval '1 hour' as occurred_at, ${key('owner')} as owner
        from generate_series(1, ${agents}::int, 10) as i, generate_series(1, 40) as n
      ), events as (
        insert into ledger_events (id, position, signature, slot, name, agent_pda, owner, data, occurred_at)
        select id, position, id, n, 'ReputationUpdated', agent_pda, owner, '{}', occurred_at from entries
      )
      insert into agent_history
      select id, position, agent_pda, case when n % 4 = 0 then 'tier_updated' else 'reputation_updated' end,
        n::text, (n + 1)::text, case when n % 4 = 0 then null else '+1' end, occurred_at
      from entries`.execute(work)
    await insertIndexerState(work)
  })
  await analyze(kysely, ['agents', 'stakes', 'agent_history', 'ledger_events', 'agent_counts'])
}
