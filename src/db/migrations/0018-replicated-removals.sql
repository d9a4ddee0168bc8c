-- Logical replication applies changes row by row, and calls triggers of rows only. These record what it
-- removes. They are not called in other sessions, where the triggers of statements do this.
create function record_removed_row() returns trigger language plpgsql set search_path from current as $$
begin
  execute format('insert into %I as removed (pda, search_xid) values ($1, pg_current_xact_id())
    on conflict (pda) do update set search_xid = excluded.search_xid', 'removed_' || tg_table_name)
    using old.pda;
  return null;
end $$;
create trigger record_removed_row after delete on agents for each row execute function record_removed_row();
create trigger record_removed_row after delete on stakes for each row execute function record_removed_row();
alter table agents enable replica trigger record_removed_row;
alter table stakes enable replica trigger record_removed_row;
