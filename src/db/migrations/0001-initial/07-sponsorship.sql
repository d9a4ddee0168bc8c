create table invite_codes (
  hash text collate "C" primary key,
  max_uses integer not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null default now(),
  constraint invite_codes_max_uses check (max_uses > 0)
);

create table sponsorships (
  id text collate "C" primary key,
  kind text not null,
  wallet text collate "C" not null,
  agent_pda text collate "C",
  code_hash text collate "C" constraint sponsorships_code_hash_foreign references invite_codes (hash),
  client_network text collate "C",
  state text not null default 'reserved',
  reserved_lamports bigint not null,
  rent_lamports bigint,
  spent_lamports bigint,
  signature text collate "C",
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  constraint sponsorships_kind check (kind in ('registration', 'transaction')),
  constraint sponsorships_state check (state in ('reserved', 'submitted', 'confirmed', 'failed', 'released')),
  constraint sponsorships_registration check ((kind = 'registration') = (code_hash is not null))
);

-- A wallet has one signed registration. Anyone who has a code can prepare a registration for any
-- wallet, so an unsigned one blocks the wallet only for the same client.
create unique index sponsorships_one_per_wallet on sponsorships (wallet)
  where kind = 'registration' and state in ('submitted', 'confirmed');
create index sponsorships_prepared_registrations on sponsorships (wallet, client_network)
  where kind = 'registration' and state = 'reserved';
create index sponsorships_code on sponsorships (code_hash)
  where state in ('reserved', 'submitted', 'confirmed');
create index sponsorships_open on sponsorships (created_at) where state in ('reserved', 'submitted');
create index sponsorships_day on sponsorships (created_at) where state <> 'released';
create index sponsorships_network on sponsorships (client_network, created_at)
  where kind = 'registration' and state <> 'released';
create index sponsorships_wallet_day on sponsorships (wallet, created_at)
  where kind = 'transaction' and state <> 'released';
create index sponsorships_unknown_cost on sponsorships (updated_at)
  where state in ('confirmed', 'failed') and spent_lamports is null;

-- The state of a sponsorship changes in the statement that changes its transaction, in whatever code
-- that statement is. A released sponsorship stays released.
create function update_sponsorship_state() returns trigger language plpgsql set search_path from current as $$
begin
  update sponsorships set
    state = case
      when new.status = 'confirmed' then 'confirmed'
      when new.status <> 'failed' and new.signed_tx is null then 'reserved'
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
create trigger update_sponsorship_state
  after update of status, settled, slot, signed_tx on prepared_transactions
  for each row when (
    new.sponsored and (
      old.status <> new.status or old.settled <> new.settled
      or old.slot is distinct from new.slot or (old.signed_tx is null) <> (new.signed_tx is null)
    )
  )
  execute function update_sponsorship_state();
