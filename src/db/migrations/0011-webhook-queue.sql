-- The deliveries that are not finished. Workers search this narrow table, and remove its dead rows
-- often. In the log, a worker would step over the dead index entries of a burst until the next
-- vacuum, and every change of a status would write to every index.
create table webhook_queue (
  status text collate "C" not null,
  network text collate "C" not null,
  subscription_id text collate "C" not null,
  due_at timestamptz not null,
  delivery_id text collate "C" not null,
  constraint webhook_queue_pkey primary key (status, network, subscription_id, due_at, delivery_id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);

-- Old workers may run until they are replaced. One status at a time, because each has an index.
lock table webhook_deliveries in share row exclusive mode;
insert into webhook_queue (status, network, subscription_id, due_at, delivery_id)
  select status, network, subscription_id, next_attempt_at, id from webhook_deliveries where status = 'pending'
  union all
  select status, network, subscription_id, next_attempt_at, id from webhook_deliveries where status = 'retrying'
  union all
  select status, network, subscription_id, lease_until, id from webhook_deliveries where status = 'in_flight';
drop index webhook_deliveries_pending;
drop index webhook_deliveries_retrying;
drop index webhook_deliveries_in_flight;

create function queue_deliveries() returns trigger language plpgsql
set search_path from current set enable_seqscan = off set enable_bitmapscan = off as $$
begin
  if tg_op <> 'INSERT' then
    -- One look-up for each row. A plan for the empty queue would read all of a long one.
    delete from webhook_queue where ctid = any(array(
      select q.ctid from old_deliveries o cross join lateral (
        select ctid from webhook_queue
        where status = o.status and network = o.network and subscription_id = o.subscription_id
          and due_at = coalesce(o.next_attempt_at, o.lease_until) and delivery_id = o.id limit 1
      ) q
      where o.status in ('pending', 'retrying', 'in_flight')));
  end if;
  if tg_op <> 'DELETE' then
    insert into webhook_queue (status, network, subscription_id, due_at, delivery_id)
    select status, network, subscription_id, coalesce(next_attempt_at, lease_until), id from new_deliveries
    where status in ('pending', 'retrying', 'in_flight');
  end if;
  return null;
end $$;
create trigger queue_inserted_deliveries after insert on webhook_deliveries
  referencing new table as new_deliveries for each statement execute function queue_deliveries();
create trigger queue_updated_deliveries after update on webhook_deliveries
  referencing old table as old_deliveries new table as new_deliveries
  for each statement execute function queue_deliveries();
create trigger queue_deleted_deliveries after delete on webhook_deliveries
  referencing old table as old_deliveries for each statement execute function queue_deliveries();

create function empty_webhook_queue() returns trigger language plpgsql set search_path from current as $$
begin
  truncate webhook_queue;
  return null;
end $$;
create trigger queue_truncated_deliveries after truncate on webhook_deliveries
  for each statement execute function empty_webhook_queue();
