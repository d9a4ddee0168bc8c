-- Each api process has a copy of agents and stakes in memory. To find what was committed since it last
-- read, every change of any column now counts, and stakes have what agents have.
alter table stakes add column search_xid xid8;
create index stakes_by_search_xid on stakes (search_xid);

create table removed_stakes (
  pda text collate "C" primary key,
  search_xid xid8 not null
);
create index removed_stakes_by_search_xid on removed_stakes (search_xid);

-- A new key of a row removes the old one.
create or replace function record_search_change() returns trigger language plpgsql set search_path from current as $$
begin
  new.search_xid := pg_current_xact_id();
  if tg_op = 'UPDATE' and new.pda <> old.pda then
    execute format('insert into %I as removed (pda, search_xid) values ($1, $2)
      on conflict (pda) do update set search_xid = excluded.search_xid', 'removed_' || tg_table_name)
      using old.pda, new.search_xid;
  end if;
  return new;
end $$;
drop trigger record_search_update on agents;
create trigger record_search_update before update on agents
  for each row when (old.* is distinct from new.*) execute function record_search_change();
create trigger record_search_insert before insert on stakes
  for each row execute function record_search_change();
create trigger record_search_update before update on stakes
  for each row when (old.* is distinct from new.*) execute function record_search_change();

create function record_removed_stakes() returns trigger language plpgsql set search_path from current as $$
begin
  insert into removed_stakes as removed (pda, search_xid)
  select pda, pg_current_xact_id() from old_stakes order by pda
  on conflict (pda) do update set search_xid = excluded.search_xid;
  return null;
end $$;
create trigger record_removed_stakes after delete on stakes
  referencing old table as old_stakes
  for each statement execute function record_removed_stakes();

create function record_truncated_stakes() returns trigger language plpgsql set search_path from current as $$
begin
  insert into removed_stakes as removed (pda, search_xid)
  select pda, pg_current_xact_id() from stakes order by pda
  on conflict (pda) do update set search_xid = excluded.search_xid;
  return null;
end $$;
create trigger record_truncated_stakes before truncate on stakes
  for each statement execute function record_truncated_stakes();

-- Also for changes that logical replication applies.
alter table agents enable always trigger record_search_update;
alter table stakes enable always trigger record_search_insert;
alter table stakes enable always trigger record_search_update;
alter table stakes enable always trigger record_removed_stakes;
alter table stakes enable always trigger record_truncated_stakes;
