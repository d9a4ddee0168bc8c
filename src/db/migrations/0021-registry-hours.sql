-- How many events each hour has, and by how much they changed all deposits, for charts: one row for
-- each hour with events. Triggers of outbox_events update it, so it follows forks and rebuilds.
create table registry_hours (
  hour timestamptz primary key,
  count bigint not null,
  deposited_change numeric not null
);

-- Inlined, so it has no search_path of its own.
create function deposited_change(type text, body text) returns numeric language sql immutable as $$
  select case type
    when 'stake.deposited' then coalesce((body::json #>> '{data,amount}')::numeric, 0)
    when 'stake.withdrawn' then -coalesce((body::json #>> '{data,amount}')::numeric, 0)
    else 0
  end
$$;

create function add_registry_hours() returns trigger language plpgsql set search_path from current as $$
begin
  if tg_op = 'TRUNCATE' then
    delete from registry_hours;
  end if;
  if tg_op in ('UPDATE', 'DELETE') then
    insert into registry_hours as kept (hour, count, deposited_change)
    select date_trunc('hour', occurred_at, 'UTC'), -count(*), -sum(deposited_change(type, body))
    from old_events where cancelled_at is null group by 1 order by 1
    on conflict (hour) do update set count = kept.count + excluded.count,
      deposited_change = kept.deposited_change + excluded.deposited_change;
  end if;
  if tg_op in ('INSERT', 'UPDATE') then
    insert into registry_hours as kept (hour, count, deposited_change)
    select date_trunc('hour', occurred_at, 'UTC'), count(*), sum(deposited_change(type, body))
    from new_events where cancelled_at is null group by 1 order by 1
    on conflict (hour) do update set count = kept.count + excluded.count,
      deposited_change = kept.deposited_change + excluded.deposited_change;
  end if;
  return null;
end $$;
create trigger add_registry_hours_insert after insert on outbox_events referencing new table as new_events
  for each statement execute function add_registry_hours();
create trigger add_registry_hours_update after update on outbox_events
  referencing old table as old_events new table as new_events
  for each statement execute function add_registry_hours();
create trigger add_registry_hours_delete after delete on outbox_events referencing old table as old_events
  for each statement execute function add_registry_hours();
create trigger add_registry_hours_truncate after truncate on outbox_events
  for each statement execute function add_registry_hours();

-- The triggers keep other writers out until the commit.
insert into registry_hours (hour, count, deposited_change)
select date_trunc('hour', occurred_at, 'UTC'), count(*), sum(deposited_change(type, body))
from outbox_events where cancelled_at is null group by 1;
