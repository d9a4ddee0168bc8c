-- Wallet signatures that were used, so that no replica accepts one twice.
create table used_signatures (
  hash text collate "C" primary key,
  used_at timestamptz not null default now()
);
create index used_signatures_used_at on used_signatures (used_at);

-- The state of each client in the rate limits that all replicas share. `arrival` is GCRA's theoretical
-- arrival time in milliseconds since 1970. Unlogged: a crash of the server resets the limits.
create unlogged table rate_limits (
  kind text collate "C" not null,
  client text collate "C" not null,
  arrival float8 not null,
  primary key (kind, client)
) with (fillfactor = 70);
