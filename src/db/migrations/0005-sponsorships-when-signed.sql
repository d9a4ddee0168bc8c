-- A preparation takes nothing any more: a sponsorship is a transaction that the fee payer signed.
-- The code of a prepared registration is kept with the transaction, to be taken with the signature.
alter table prepared_transactions add column invite_code_hash text collate "C";
update prepared_transactions as p set invite_code_hash = s.code_hash from sponsorships as s where s.id = p.id;
delete from sponsorships where state = 'reserved' or (state = 'released' and signature is null);

alter table sponsorships alter column state drop default;
alter table sponsorships drop constraint sponsorships_state;
alter table sponsorships add constraint sponsorships_state
  check (state in ('submitted', 'confirmed', 'failed', 'released'));

drop index sponsorships_prepared_registrations;
drop index sponsorships_code;
create index sponsorships_code on sponsorships (code_hash) where state <> 'released';
drop index sponsorships_open;
create index sponsorships_open on sponsorships (created_at) where state = 'submitted';
drop index sponsorships_network;
create index sponsorships_network on sponsorships (client_network, kind, created_at) where state <> 'released';

create or replace function update_sponsorship_state() returns trigger language plpgsql
  set search_path from current as $$
begin
  update sponsorships set
    state = case
      when new.status = 'confirmed' then 'confirmed'
      when new.status <> 'failed' or not new.settled then 'submitted'
      when new.slot is null then 'released'
      else 'failed'
    end,
    signature = new.signature,
    spent_lamports = case when new.slot is not distinct from old.slot then spent_lamports end,
    updated_at = clock_timestamp()
  where id = new.id and state not in ('released', 'failed');
  return null;
end $$;
