-- The last transactions that changed a group of tables, written by statement-level triggers in those
-- transactions. A transaction id is used once, so the rows of a group, in the order of `id`, never
-- have an earlier value again after a change is committed.
--
-- A writer takes any row of its group that no other writer holds, and adds one if all are held. It
-- never waits, so it cannot deadlock. The number of rows is the highest number of parallel writers.
create table read_versions (
  table_group text collate "C" not null,
  id bigint not null,
  transaction_id bigint not null,
  primary key (table_group, id)
);
insert into read_versions (table_group, id, transaction_id)
  values ('agents', 0, 0), ('stakes', 0, 0), ('history', 0, 0);

create function record_read_version() returns trigger language plpgsql set search_path from current as $$
declare
  current_id bigint;
  free_id bigint;
begin
  if tg_op <> 'TRUNCATE' then
    if not exists (select from changed) then return null; end if;
  end if;
  current_id := pg_current_xact_id()::text::bigint;
  if exists (select from read_versions where table_group = tg_argv[0] and transaction_id = current_id) then
    return null;
  end if;
  select id into free_id from read_versions where table_group = tg_argv[0] limit 1 for update skip locked;
  if found then
    update read_versions set transaction_id = current_id where table_group = tg_argv[0] and id = free_id;
  else
    insert into read_versions (table_group, id, transaction_id) values (tg_argv[0], current_id, current_id);
  end if;
  return null;
end $$;

-- `enable always`: changes that logical replication applies count too. Other triggers do not fire when
-- session_replication_role is replica.
do $$
declare
  watched record;
begin
  for watched in
    select * from (values ('agents', 'agents'), ('agent_counts', 'agents'), ('stakes', 'stakes'),
      ('agent_history', 'history')) as tables (name, table_group)
    cross join (values ('insert', 'referencing new table as changed'),
      ('update', 'referencing new table as changed'), ('delete', 'referencing old table as changed'),
      ('truncate', '')) as operations (operation, transition)
  loop
    execute format('create trigger record_read_version_%s after %1$s on %I %s
      for each statement execute function record_read_version(%L)',
      watched.operation, watched.name, watched.transition, watched.table_group);
    execute format('alter table %I enable always trigger record_read_version_%s', watched.name, watched.operation);
  end loop;
end $$;
