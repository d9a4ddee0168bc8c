import { type Kysely, sql } from 'kysely'
import type { Database } from '../../src/db/database.ts'
import { COLUMNS, SEARCH } from './raw-reads.ts'

/**
 * What a PostGraphile user would write for fast responses: views of the documented columns, an
 * unfiltered list, the total from the count table, and the search in one statement.
 */
export async function addPostgraphileApi(kysely: Kysely<Database>): Promise<void> {
  const search = SEARCH.replaceAll('$1', 'page_limit')
    .replaceAll('$2', 'page_offset')
    .replaceAll('$3', 'search_agents.query')
  await sql`drop schema if exists postgraphile cascade`.execute(kysely)
  await sql`create schema postgraphile`.execute(kysely)
  await sql`
    create view postgraphile.listed_agents as
    select ${sql.raw(COLUMNS)} from agents where not card_hash_mismatch`.execute(kysely)
  await sql`create view postgraphile.agents as select ${sql.raw(COLUMNS)} from agents`.execute(kysely)
  for (const view of ['agents', 'listed_agents'])
    await sql`comment on view ${sql.table(`postgraphile.${view}`)} is '@primaryKey pda'`.execute(kysely)
  await sql`
    create view postgraphile.stakes as select agent_pda, deposited_amount, locked_amount from stakes`.execute(
    kysely,
  )
  await sql`
    comment on view postgraphile.stakes is E'@primaryKey agent_pda\n@foreignKey (agent_pda) references listed_agents (pda)'`.execute(
    kysely,
  )
  await sql`
    create function postgraphile.listed_agents_total(of_tier text default null, of_status text default null, of_category text default null)
    returns bigint language sql stable as $$
      select coalesce(sum(count), 0)::int8 from agent_counts where not card_hash_mismatch
        and (of_tier is null or tier = of_tier) and (of_status is null or status = of_status)
        and (of_category is null or service_category = of_category) $$`.execute(kysely)
  await sql`
    create function postgraphile.search_agents(query text, page_limit int, page_offset int)
    returns table (
      total bigint, pda text, owner text, name text, tier text, status text, service_category text, reputation_score int,
      capabilities numeric, version text, agent_card_url text, card_hash_mismatch boolean, created_at timestamptz,
      updated_at timestamptz, name_similarity real
    ) language sql stable as ${sql.raw(`$$ ${search} $$`)}`.execute(kysely)
  // For all peers: the best index for two filters.
  await sql`
    create index if not exists bench_two_filters on agents (tier, service_category, reputation_score desc, pda)
    where not card_hash_mismatch`.execute(kysely)
}
