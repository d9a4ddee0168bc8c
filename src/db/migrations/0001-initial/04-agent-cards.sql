-- One row per agent. Off-chain: a rebuild of `agents` takes card_hash_mismatch from here.
-- Triggers write the row in the transaction that writes the agent. A new URL or hash makes the check
-- due at once and invalidates the lease of a running check. The last result stays until the next one.
create table agent_card_checks (
  agent_pda text collate "C" primary key,
  card_hash_mismatch boolean not null,
  checked_at timestamptz,
  url text not null default '',
  hash text collate "C" not null default '',
  host text collate "C" not null default '',
  state text not null default 'unchecked',
  reason text,
  matched_by text,
  signature text,
  content jsonb,
  failures integer not null default 0,
  next_check_at timestamptz not null default now(),
  lease_token text collate "C"
);
create index agent_card_checks_due on agent_card_checks (next_check_at);
create index agent_card_checks_host on agent_card_checks (host);

create table agent_card_hosts (
  host text collate "C" primary key,
  failures integer not null,
  retry_at timestamptz not null
);

-- The unit of back-off: the host of an http URL, else the scheme.
create function card_host(url text) returns text language sql immutable as $$
  select coalesce(substring(lower(url) from '^https?://([^/?#]+)'), split_part(lower(url), ':', 1))
$$;

create function queue_card_checks_insert() returns trigger language plpgsql set search_path from current as $$
begin
  insert into agent_card_checks as queued (agent_pda, card_hash_mismatch, url, hash, host)
  select pda, card_hash_mismatch, agent_card_url, agent_card_hash, card_host(agent_card_url)
  from new_agents order by pda
  on conflict (agent_pda) do update set
    url = excluded.url, hash = excluded.hash, host = excluded.host, state = 'unchecked', checked_at = null,
    reason = null, matched_by = null, signature = null, content = null, failures = 0,
    next_check_at = now(), lease_token = null
  where (queued.url, queued.hash) is distinct from (excluded.url, excluded.hash);
  return null;
end $$;
create trigger queue_card_checks_insert after insert on agents
  referencing new table as new_agents
  for each statement execute function queue_card_checks_insert();

create function queue_card_checks_update() returns trigger language plpgsql set search_path from current as $$
begin
  insert into agent_card_checks as queued (agent_pda, card_hash_mismatch, url, hash, host)
  select pda, card_hash_mismatch, agent_card_url, agent_card_hash, card_host(agent_card_url)
  from new_agents join (
    select pda, agent_card_url as old_url, agent_card_hash as old_hash from old_agents) as old using (pda)
  where (agent_card_url, agent_card_hash) is distinct from (old_url, old_hash)
  order by pda
  on conflict (agent_pda) do update set
    url = excluded.url, hash = excluded.hash, host = excluded.host, state = 'unchecked', checked_at = null,
    reason = null, matched_by = null, signature = null, content = null, failures = 0,
    next_check_at = now(), lease_token = null
  where (queued.url, queued.hash) is distinct from (excluded.url, excluded.hash);
  return null;
end $$;
create trigger queue_card_checks_update after update on agents
  referencing old table as old_agents new table as new_agents
  for each statement execute function queue_card_checks_update();
