-- First checks, further checks and credential refreshes are separate queues. The worker finds the
-- host and the site of a URL, because only it has the public suffix list. Null: not found yet.
alter table agent_card_checks
  alter column host drop default,
  alter column host drop not null,
  add column site text collate "C",
  add column claimed_at timestamptz,
  add column credentials_due_at timestamptz,
  add column credentials_claimed_at timestamptz,
  add column credentials_token text collate "C";
update agent_card_checks set host = null;
drop index agent_card_checks_due;
create index agent_card_checks_first on agent_card_checks (next_check_at) where state = 'unchecked';
create index agent_card_checks_further on agent_card_checks (next_check_at) where state <> 'unchecked';
create index agent_card_checks_leased on agent_card_checks (site) where lease_token is not null;
create index agent_card_checks_no_site on agent_card_checks (agent_pda) where site is null;
create index agent_card_checks_credentials on agent_card_checks (credentials_due_at)
  where credentials_due_at is not null;

-- A new URL or hash makes the check due, but at least a minute after the previous one started: a
-- loop of changes must not cause a request for each change.
create or replace function queue_card_checks_insert() returns trigger language plpgsql
set search_path from current as $$
begin
  insert into agent_card_checks as queued (agent_pda, card_hash_mismatch, url, hash)
  select pda, card_hash_mismatch, agent_card_url, agent_card_hash from new_agents order by pda
  on conflict (agent_pda) do update set
    url = excluded.url, hash = excluded.hash, host = null, site = null, state = 'unchecked', checked_at = null,
    reason = null, matched_by = null, signature = null, content = null, failures = 0,
    next_check_at = greatest(now(), queued.claimed_at + interval '1 minute'), lease_token = null
  where (queued.url, queued.hash) is distinct from (excluded.url, excluded.hash);
  return null;
end $$;

create or replace function queue_card_checks_update() returns trigger language plpgsql
set search_path from current as $$
begin
  insert into agent_card_checks as queued (agent_pda, card_hash_mismatch, url, hash)
  select pda, card_hash_mismatch, agent_card_url, agent_card_hash
  from new_agents join (
    select pda, agent_card_url as old_url, agent_card_hash as old_hash from old_agents) as old using (pda)
  where (agent_card_url, agent_card_hash) is distinct from (old_url, old_hash)
  order by pda
  on conflict (agent_pda) do update set
    url = excluded.url, hash = excluded.hash, host = null, site = null, state = 'unchecked', checked_at = null,
    reason = null, matched_by = null, signature = null, content = null, failures = 0,
    next_check_at = greatest(now(), queued.claimed_at + interval '1 minute'), lease_token = null
  where (queued.url, queued.hash) is distinct from (excluded.url, excluded.hash);
  return null;
end $$;

drop function card_host(text);
