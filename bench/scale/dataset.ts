import { type Kysely, sql } from 'kysely'
import type { Database } from '../../src/db/database.ts'
import { analyze, insertAgents, insertIndexerState, key } from '../reads/dataset.ts'

/** Agents of one transaction. */
const STEP = 10_000
/** Entries in the history of agent 1. All others have four. */
export const LONG_HISTORY = 10_000

export const TABLES = [
  'agents',
  'stakes',
  'agent_counts',
  'agent_card_checks',
  'ledger_transactions',
  'ledger_events',
  'agent_history',
  'outbox_events',
] as const

/**
 * Inserts agents by SQL as the indexer leaves them: a registration, an update and three reports of
 * behavior each. Goes on after the last agent of an earlier, interrupted run.
 */
export async function fill(kysely: Kysely<Database>, agents: number): Promise<void> {
  const { rows } = await sql<{ last: number }>`
    select coalesce(max(slot), 0) as last from agents`.execute(kysely)
  const last = rows[0]?.last ?? 0
  if (last > agents) throw new Error(`the kept database has ${last} agents: use another BENCH_KEEP_DIR`)
  for (let from = last + 1; from <= agents; from += STEP) {
    const to = Math.min(agents, from + STEP - 1)
    await kysely.transaction().execute(async (work) => {
      await sql`select setseed(${from / 1e7})`.execute(work)
      await insertAgents(work, from, to)
      await insertEvents(work, from, to, 1, 5)
      if (from === 1) await insertEvents(work, 1, 1, 6, LONG_HISTORY + 1)
      await insertIndexerState(work)
    })
    process.stderr.write(`\r${to} of ${agents} agents`)
  }
  process.stderr.write('\n')
  if (last < agents) await analyze(kysely, TABLES)
}

/** Events `first` to `last` of the agents: a registration, an update, and reports of behavior. */
export async function insertEvents(
  work: Kysely<Database>,
  from: number,
  to: number,
  first: number,
  last: number,
): Promise<void> {
  await sql`
    with made as materialized (
      select 'evt_' || left(md5('event' || n || '/' || i), 22) as id, n, n::int8 * 10000000 + i as slot,
        md5('a' || n || '/' || i) || md5('b' || n || '/' || i) || left(md5('c' || n || '/' || i), 24) as signature,
        ${key('agent')} as agent, ${key('owner')} as owner, timestamptz '2026-01-01' + (n * 100 + i % 100) * interval '1 hour' as at,
        case n when 1 then 'AgentRegistered' when 2 then 'AgentUpdated' else 'ReputationUpdated' end as name,
        case n when 1 then 'agent.registered' when 2 then 'agent.updated' else 'agent.reputation_updated' end as type,
        case n
          when 1 then json_build_object('serviceCategory', 'commerce', 'name', 'Weather Scout ' || i, 'agentCardUrl',
            'https://agents.example/cards/' || md5(i::text) || '.json')
          when 2 then json_build_object('changes', json_build_object('version', json_build_object('old', '1.0.0', 'new', '1.0.1')))
          else json_build_object('previousReputation', n, 'newReputation', n + 1, 'delta', 1, 'reason', 0)
        end as details
      from generate_series(${from}::int, ${to}::int) as i, generate_series(${first}::int, ${last}::int) as n
    ), transactions as (
      insert into ledger_transactions (signature, slot, transaction_index, accounts, finality)
      select signature, slot, 0, '{}', 'finalized' from made
    ), events as (
      insert into ledger_events (id, position, signature, slot, name, agent_pda, owner, data, finality, occurred_at)
      select id, lpad(slot::text, 20, '0') || '-000000-0000-0000', signature, slot, name, agent, owner,
        jsonb_build_object('agent', agent, 'owner', owner) || details::jsonb, 'finalized', at
      from made
    ), outbox as (
      insert into outbox_events (id, event_id, type, agent_pda, slot, body, occurred_at)
      select id, id, type, agent, slot, json_build_object('id', id, 'type', type, 'pda', agent, 'slot', slot,
        'timestamp', at, 'data', jsonb_build_object('agentPda', agent, 'owner', owner) || details::jsonb)::text, at
      from made order by slot
    )
    insert into agent_history (event_id, position, agent_pda, event_type, old_value, new_value, delta, occurred_at)
    select id, lpad(slot::text, 20, '0') || '-000000-0000-0000', agent,
      case n when 2 then 'metadata_updated' else 'reputation_updated' end,
      case n when 2 then '{"version":"1.0.0"}' else n::text end, case n when 2 then '{"version":"1.0.1"}' else (n + 1)::text end,
      case n when 2 then null else '+1' end, at
    from made where n > 1`.execute(work)
}
