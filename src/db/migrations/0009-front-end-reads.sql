-- Suggestions by the start of a name, in any case.
create index agents_by_name_start on agents ((lower(name) collate "C"), pda) where not card_hash_mismatch;
-- The largest stakes.
create index stakes_by_deposit on stakes (deposited_amount desc, pda);
-- The newest events of a type.
create index outbox_events_by_type on outbox_events (type, sequence);

-- The exact sums of all stakes: one row, updated by statement-level triggers.
create table stake_totals (
  id smallint primary key default 1 check (id = 1),
  count bigint not null,
  deposited_amount numeric not null,
  locked_amount numeric not null,
  pending_withdrawal numeric not null
);
insert into stake_totals (count, deposited_amount, locked_amount, pending_withdrawal)
  select count(*), coalesce(sum(deposited_amount), 0), coalesce(sum(locked_amount), 0),
    coalesce(sum(pending_withdrawal), 0)
  from stakes;

create function add_stake_totals(stakes bigint, deposited numeric, locked numeric, pending numeric)
returns void language sql set search_path from current as $$
  update stake_totals set
    count = count + stakes,
    deposited_amount = deposited_amount + deposited,
    locked_amount = locked_amount + locked,
    pending_withdrawal = pending_withdrawal + pending
  where stakes <> 0 or deposited <> 0 or locked <> 0 or pending <> 0
$$;

create function sum_stakes() returns trigger language plpgsql set search_path from current as $$
begin
  if tg_op = 'TRUNCATE' then
    update stake_totals set count = 0, deposited_amount = 0, locked_amount = 0, pending_withdrawal = 0;
  end if;
  if tg_op in ('UPDATE', 'DELETE') then
    perform add_stake_totals(-count(*), -coalesce(sum(deposited_amount), 0), -coalesce(sum(locked_amount), 0),
      -coalesce(sum(pending_withdrawal), 0)) from old_stakes;
  end if;
  if tg_op in ('INSERT', 'UPDATE') then
    perform add_stake_totals(count(*), coalesce(sum(deposited_amount), 0), coalesce(sum(locked_amount), 0),
      coalesce(sum(pending_withdrawal), 0)) from new_stakes;
  end if;
  return null;
end $$;
create trigger sum_stakes_insert after insert on stakes referencing new table as new_stakes
  for each statement execute function sum_stakes();
create trigger sum_stakes_update after update on stakes
  referencing old table as old_stakes new table as new_stakes
  for each statement execute function sum_stakes();
create trigger sum_stakes_delete after delete on stakes referencing old table as old_stakes
  for each statement execute function sum_stakes();
create trigger sum_stakes_truncate after truncate on stakes
  for each statement execute function sum_stakes();
