import { Migration } from '@mikro-orm/migrations'

/** What back-off is kept by: the host of an address, else the scheme. */
const HOST = "coalesce(substring(lower(url) from '^https?://([^/?#]+)'), split_part(lower(url), ':', 1))"

/**
 * One row for each agent, queued by triggers in the transaction that writes the agent: whatever writes agents, a card whose URL or hash
 * is new is due at once, and the token of a check under way is void. The verdict stays until there is another.
 */
export class Migration0035AgentCards extends Migration {
  override up(): void {
    this.addSql(`
      alter table agent_card_checks
        add column url text not null default '',
        add column hash text collate "C" not null default '',
        add column host text collate "C" not null default '',
        add column state text not null default 'unchecked',
        add column reason text,
        add column matched_by text,
        add column signature text,
        add column content jsonb,
        add column failures integer not null default 0,
        add column next_check_at timestamptz not null default now(),
        add column lease_token text collate "C",
        alter column checked_at drop not null`)
    this.addSql('create index agent_card_checks_due on agent_card_checks (next_check_at)')
    this.addSql('create index agent_card_checks_host on agent_card_checks (host)')
    this.addSql(`
      create table agent_card_hosts (
        host text collate "C" primary key,
        failures integer not null,
        retry_at timestamptz not null
      )`)

    const queue = (changed: string): string => `
      insert into agent_card_checks as queued (agent_pda, card_hash_mismatch, url, hash, host)
      select pda, card_hash_mismatch, url, hash, ${HOST} from (${changed}) as changed order by pda
      on conflict (agent_pda) do update set
        url = excluded.url, hash = excluded.hash, host = excluded.host, state = 'unchecked', checked_at = null,
        reason = null, matched_by = null, signature = null, content = null, failures = 0,
        next_check_at = now(), lease_token = null
      where (queued.url, queued.hash) is distinct from (excluded.url, excluded.hash)`
    const columns = 'pda, card_hash_mismatch, agent_card_url as url, agent_card_hash as hash'
    const changes = {
      insert: `select ${columns} from new_agents`,
      update: `select ${columns} from new_agents join (
          select pda, agent_card_url as old_url, agent_card_hash as old_hash from old_agents) as old using (pda)
        where (agent_card_url, agent_card_hash) is distinct from (old_url, old_hash)`,
    }
    const transitionTables = {
      insert: 'new table as new_agents',
      update: 'old table as old_agents new table as new_agents',
    }
    for (const operation of ['insert', 'update'] as const) {
      this.addSql(`
        create function queue_card_checks_${operation}() returns trigger language plpgsql as $$
        begin
          ${queue(changes[operation])};
          return null;
        end $$`)
      this.addSql(`
        create trigger queue_card_checks_${operation} after ${operation} on agents
        referencing ${transitionTables[operation]}
        for each statement execute function queue_card_checks_${operation}()`)
    }
    this.addSql(queue(`select ${columns} from agents`))
  }
}
