-- The transaction that last changed what a search by name reads of an agent. An index in memory uses
-- it to find what was committed since it last read. Null: not since this migration.
alter table agents add column search_xid xid8;
create index agents_by_search_xid on agents (search_xid);

-- Agents that were deleted, also if they were inserted again.
create table removed_agents (
  pda text collate "C" primary key,
  search_xid xid8 not null
);
create index removed_agents_by_search_xid on removed_agents (search_xid);

create function record_search_change() returns trigger language plpgsql set search_path from current as $$
begin
  new.search_xid := pg_current_xact_id();
  return new;
end $$;
create trigger record_search_insert before insert on agents
  for each row execute function record_search_change();
create trigger record_search_update before update on agents
  for each row when (
    (old.name, old.tier, old.status, old.service_category, old.card_hash_mismatch, old.reputation_score,
      old.created_at)
    is distinct from (new.name, new.tier, new.status, new.service_category, new.card_hash_mismatch,
      new.reputation_score, new.created_at))
  execute function record_search_change();

create function record_removed_agents() returns trigger language plpgsql set search_path from current as $$
begin
  insert into removed_agents as removed (pda, search_xid)
  select pda, pg_current_xact_id() from old_agents order by pda
  on conflict (pda) do update set search_xid = excluded.search_xid;
  return null;
end $$;
create trigger record_removed_agents after delete on agents
  referencing old table as old_agents
  for each statement execute function record_removed_agents();

create function record_truncated_agents() returns trigger language plpgsql set search_path from current as $$
begin
  insert into removed_agents as removed (pda, search_xid)
  select pda, pg_current_xact_id() from agents order by pda
  on conflict (pda) do update set search_xid = excluded.search_xid;
  return null;
end $$;
create trigger record_truncated_agents before truncate on agents
  for each statement execute function record_truncated_agents();

-- Also for changes that logical replication applies.
alter table agents enable always trigger record_search_insert;
alter table agents enable always trigger record_search_update;
alter table agents enable always trigger record_removed_agents;
alter table agents enable always trigger record_truncated_agents;
