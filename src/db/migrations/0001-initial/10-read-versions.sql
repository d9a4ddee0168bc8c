-- The last transactions that changed a group of tables, written by statement-level triggers in those
-- transactions. A transaction id is used once, so the rows of a group, in the order of `place`, never
-- have an earlier value again after a change is committed.
--
-- A writer takes any row of its group that no other writer holds, and adds one if all are held. It
-- never waits, so it cannot deadlock. The number of rows is the highest number of parallel writers.
create table read_versions (
  tables text collate "C" not null,
  place bigint not null,
  changed_by bigint not null,
  primary key (tables, place)
);
insert into read_versions (tables, place, changed_by)
  values ('agents', 0, 0), ('stakes', 0, 0), ('history', 0, 0);

create function note_read_version() returns trigger language plpgsql as $$
declare
  change bigint;
  free bigint;
begin
  if tg_op <> 'TRUNCATE' then
    if not exists (select from changed) then return null; end if;
  end if;
  change := pg_current_xact_id()::text::bigint;
  if exists (select from read_versions where tables = tg_argv[0] and changed_by = change) then return null; end if;
  select place into free from read_versions where tables = tg_argv[0] limit 1 for update skip locked;
  if found then
    update read_versions set changed_by = change where tables = tg_argv[0] and place = free;
  else
    insert into read_versions (tables, place, changed_by) values (tg_argv[0], change, change);
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
      ('agent_history', 'history')) as tables (name, read_group)
    cross join (values ('insert', 'referencing new table as changed'),
      ('update', 'referencing new table as changed'), ('delete', 'referencing old table as changed'),
      ('truncate', '')) as operations (operation, transition)
  loop
    execute format('create trigger note_read_version_%s after %1$s on %I %s
      for each statement execute function note_read_version(%L)',
      watched.operation, watched.name, watched.transition, watched.read_group);
    execute format('alter table %I enable always trigger note_read_version_%s', watched.name, watched.operation);
  end loop;
end $$;
