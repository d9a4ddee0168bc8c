import { Migration } from '@mikro-orm/migrations'

const DIMENSIONS = 'tier, status, service_category, card_hash_mismatch'

/**
 * Exact agent counts by every filter that needs no finer look, kept by statement-level triggers.
 * Rows are touched in key order, so that two writers cannot deadlock inside one statement.
 */
export class Migration0002AgentCounts extends Migration {
  override up(): void {
    this.addSql(`
      create table agent_counts (
        tier text not null,
        status text not null,
        service_category text not null,
        card_hash_mismatch boolean not null,
        count bigint not null,
        primary key (${DIMENSIONS})
      )`)
    const changes = {
      insert: `select ${DIMENSIONS}, 1 as change from new_agents`,
      delete: `select ${DIMENSIONS}, -1 as change from old_agents`,
      update: `select ${DIMENSIONS}, 1 as change from new_agents
        union all select ${DIMENSIONS}, -1 from old_agents`,
    }
    const transitionTables = {
      insert: 'new table as new_agents',
      delete: 'old table as old_agents',
      update: 'old table as old_agents new table as new_agents',
    }
    for (const operation of ['insert', 'delete', 'update'] as const) {
      this.addSql(`
        create function count_agents_${operation}() returns trigger language plpgsql as $$
        begin
          insert into agent_counts as counted (${DIMENSIONS}, count)
          select ${DIMENSIONS}, sum(change) from (${changes[operation]}) as changes
          group by ${DIMENSIONS} having sum(change) <> 0
          order by ${DIMENSIONS}
          on conflict (${DIMENSIONS}) do update set count = counted.count + excluded.count;
          return null;
        end $$`)
      this.addSql(`
        create trigger count_agents_${operation} after ${operation} on agents
        referencing ${transitionTables[operation]}
        for each statement execute function count_agents_${operation}()`)
    }
    this.addSql(`
      create function count_agents_truncate() returns trigger language plpgsql as $$
      begin
        delete from agent_counts;
        return null;
      end $$`)
    this.addSql(`
      create trigger count_agents_truncate after truncate on agents
      for each statement execute function count_agents_truncate()`)
  }
}
