import { setTimeout as delay } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import type { Difference } from './findings.ts'
import type { AuditContext } from './options.ts'

const RECHECK_MS = 250

/** Columns of `agents`, by the member of the events that set them. */
const COLUMNS = {
  tier: 'tier',
  status: 'status',
  reputationScore: 'reputation_score',
  name: 'name',
  serviceCategory: 'service_category',
  capabilities: 'capabilities',
  version: 'version',
  agentCardUrl: 'agent_card_url',
  agentCardHash: 'agent_card_hash',
}

/** While one of these exists, events may be missing, and the audit reports it as unreadable. */
const GAPS = [
  'missing_history',
  'missing_transaction',
  'unreadable_transaction',
  'unknown_event',
  'undecodable_event',
]

/**
 * Compares the state of each agent with its last events (`ledger`). An agent of `found` is left
 * out: its row or its events differ from the ledger.
 */
export async function compareHistory(
  context: AuditContext,
  found: readonly Difference[],
): Promise<Difference[]> {
  const deadline = performance.now() + context.settleMs
  let differences = await findDifferences(context, found, null)
  // The indexer may be about to write the events of a newer state.
  while (differences.length > 0 && performance.now() < deadline) {
    await delay(RECHECK_MS, undefined, { signal: context.signal })
    const before = new Set(differences.map((each) => JSON.stringify(each)))
    const keys = differences.map(({ key }) => key)
    const again = await findDifferences(context, found, keys)
    // An agent that changes often can differ at each check, but not in the same values.
    differences = again.filter((each) => before.has(JSON.stringify(each)))
  }
  return differences
}

async function findDifferences(
  { orm }: AuditContext,
  found: readonly Difference[],
  only: readonly string[] | null,
): Promise<Difference[]> {
  const rows = found.map(({ ledger, database }) => (ledger ?? database) as { agent_pda?: string } | null)
  const pdas = [...found.map(({ key }) => key), ...rows.flatMap((row) => row?.agent_pda ?? [])]
  const events = sql`(
    select * from ledger_events
    where finality <> 'orphaned' and ${only === null ? sql`true` : sql`agent_pda = any(${only})`})`
  // An edited event is known by its id, an unreadable account by its dead letter.
  const leftOut = sql`(
    select unnest(${pdas}::text[]) union select agent_pda from ledger_events where id = any(${pdas})
    union select pda from dead_letters where pda is not null)`
  const gap = sql`exists (select from dead_letters where kind = any(${GAPS}))`
  return orm.em.fork().transactional(async (em) => {
    const db = em.getKysely()
    await sql`set local statement_timeout = 0`.execute(db)
    // Larger aggregates spill to disk.
    await sql`set local work_mem = '64MB'`.execute(db)
    const values = await sql<Omit<Difference, 'table'>>`
      select s.agent_pda as key, c.value || ' after its last event' as field,
        s.value as ledger, ${columnOf(sql`s.member`)} as database
      from (${lastValues(events)}) s
      join jsonb_each_text(${JSON.stringify(COLUMNS)}::jsonb) c on c.key = s.member
      join agents a on a.pda = s.agent_pda
      where s.value <> ${columnOf(sql`s.member`)} and not ${gap} and a.pda not in ${leftOut}
      order by 1, 2`.execute(db)
    const existence = await sql<Omit<Difference, 'table'>>`
      select s.agent_pda as key, 'existence after its last event' as field,
        s.name = 'AgentRegistered' as ledger, a.pda is not null as database
      from (
        select distinct on (agent_pda) agent_pda, name from ${events} e
        where name in ('AgentRegistered', 'AgentClosed') order by agent_pda, position desc) s
      left join agents a on a.pda = s.agent_pda
      where (s.name = 'AgentRegistered') <> (a.pda is not null) and not ${gap} and s.agent_pda not in ${leftOut}
      order by 1`.execute(db)
    return [...existence.rows, ...values.rows].map((row) => Object.assign(row, { table: 'agents' }))
  })
}

/** The column of agents `a` that this member of events sets. to_jsonb(a) takes ten times as long. */
function columnOf(member: RawBuilder<unknown>): RawBuilder<unknown> {
  const cases = Object.entries(COLUMNS).map(
    ([name, column]) => sql`when ${sql.lit(name)} then ${sql.ref(`a.${column}`)}::text`,
  )
  return sql`case ${member} ${sql.join(cases, sql` `)} end`
}

/** The last value of each member that the agent's events contain since its last registration. */
function lastValues(events: RawBuilder<unknown>): RawBuilder<unknown> {
  // Positions sort as text and contain no space. An aggregate needs no sort of all events.
  return sql`
    select agent_pda, member, substr(last, strpos(last, ' ') + 1) as value
    from (
      select e.agent_pda, v.key as member, max(e.position || ' ' || v.value) as last
      from ${events} e
      cross join lateral jsonb_each_text(case e.name
        when 'AgentRegistered' then e.data
        when 'AgentUpdated' then e.data -> 'new'
        when 'TierUpdated' then jsonb_build_object('tier', e.data -> 'newTier')
        when 'ReputationUpdated' then jsonb_build_object('reputationScore', e.data -> 'newScore')
        else jsonb_build_object('status', e.data -> 'newStatus') end) v
      where v.value is not null and v.key = any(${Object.keys(COLUMNS)})
      group by e.agent_pda, v.key) l`
}
