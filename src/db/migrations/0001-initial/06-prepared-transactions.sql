-- Transactions that the relay prepared, with everything that a restarted process needs to go on.
create table prepared_transactions (
  id text collate "C" primary key,
  status text not null,
  message text not null,
  last_valid_block_height bigint not null,
  signed_tx text,
  signature text collate "C",
  sent_at timestamptz,
  accepted boolean not null default false,
  slot bigint,
  landed boolean not null default false,
  misses integer not null default 0,
  error jsonb,
  sponsored boolean not null default false,
  settled boolean not null default false,
  version integer not null default 1,
  next_check_at timestamptz not null,
  created_at timestamptz not null,
  constraint prepared_transactions_error check ((status = 'failed') = (error is not null))
);
create index prepared_transactions_signature on prepared_transactions (signature);
create index prepared_transactions_due on prepared_transactions (next_check_at) where not settled;
