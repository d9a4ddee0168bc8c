-- u64 values are numeric(20, 0), since bigint ends at 2^63. Keys are base-58 under the C collation.
-- `slot` is the slot at which a row's account was read: an older read never replaces a newer one.
-- Functions keep the search_path of this migration, since logical replication and pg_restore have none.

create extension if not exists pg_trgm;

create table agents (
  pda text collate "C" primary key,
  owner text collate "C" not null,
  name text not null,
  tier text not null,
  status text not null,
  service_category text not null,
  reputation_score integer not null,
  capabilities numeric(20, 0) not null,
  version text not null,
  agent_card_url text not null,
  agent_card_hash text not null,
  card_hash_mismatch boolean not null default false,
  suspended_by_admin boolean not null,
  reputation_change_today integer not null,
  reputation_day_start timestamptz not null,
  reputation_updated_at timestamptz not null,
  tier_effective_at timestamptz not null,
  rent_payer text collate "C" not null,
  bump smallint not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  slot bigint not null
);
create index agents_owner on agents (owner);
create index agents_name_trgm on agents using gin (name gin_trgm_ops);

-- The orders of `GET /agents`. Ties are in the order of pda. Each index includes the filters of the
-- list, so that the keys of a page and its total are read from the index alone. Reputation has an
-- index for each direction, since thousands of agents may have the same score.
create index agents_by_created_at on agents (created_at desc, pda)
  include (tier, status, service_category, card_hash_mismatch, reputation_score);
create index agents_by_reputation on agents (reputation_score desc, pda)
  include (tier, status, service_category, card_hash_mismatch);
create index agents_by_reputation_ascending on agents (reputation_score, pda)
  include (tier, status, service_category, card_hash_mismatch);
-- Names are in byte order, the same for every locale of the server.
create index agents_by_name on agents (name collate "C", pda)
  include (tier, status, service_category, card_hash_mismatch, reputation_score);

-- The exact number of agents for each combination of filters, updated by statement-level triggers.
-- Each statement writes its rows in key order, so that two writers cannot deadlock.
create table agent_counts (
  tier text not null,
  status text not null,
  service_category text not null,
  card_hash_mismatch boolean not null,
  count bigint not null,
  primary key (tier, status, service_category, card_hash_mismatch)
);

create function count_agents_insert() returns trigger language plpgsql set search_path from current as $$
begin
  insert into agent_counts as counted (tier, status, service_category, card_hash_mismatch, count)
  select tier, status, service_category, card_hash_mismatch, count(*) from new_agents
  group by tier, status, service_category, card_hash_mismatch
  order by tier, status, service_category, card_hash_mismatch
  on conflict (tier, status, service_category, card_hash_mismatch)
    do update set count = counted.count + excluded.count;
  return null;
end $$;
create trigger count_agents_insert after insert on agents
  referencing new table as new_agents
  for each statement execute function count_agents_insert();

create function count_agents_delete() returns trigger language plpgsql set search_path from current as $$
begin
  insert into agent_counts as counted (tier, status, service_category, card_hash_mismatch, count)
  select tier, status, service_category, card_hash_mismatch, -count(*) from old_agents
  group by tier, status, service_category, card_hash_mismatch
  order by tier, status, service_category, card_hash_mismatch
  on conflict (tier, status, service_category, card_hash_mismatch)
    do update set count = counted.count + excluded.count;
  return null;
end $$;
create trigger count_agents_delete after delete on agents
  referencing old table as old_agents
  for each statement execute function count_agents_delete();

create function count_agents_update() returns trigger language plpgsql set search_path from current as $$
begin
  insert into agent_counts as counted (tier, status, service_category, card_hash_mismatch, count)
  select tier, status, service_category, card_hash_mismatch, sum(change)
  from (
    select tier, status, service_category, card_hash_mismatch, 1 as change from new_agents
    union all
    select tier, status, service_category, card_hash_mismatch, -1 from old_agents
  ) as changes
  group by tier, status, service_category, card_hash_mismatch having sum(change) <> 0
  order by tier, status, service_category, card_hash_mismatch
  on conflict (tier, status, service_category, card_hash_mismatch)
    do update set count = counted.count + excluded.count;
  return null;
end $$;
create trigger count_agents_update after update on agents
  referencing old table as old_agents new table as new_agents
  for each statement execute function count_agents_update();

create function count_agents_truncate() returns trigger language plpgsql set search_path from current as $$
begin
  delete from agent_counts;
  return null;
end $$;
create trigger count_agents_truncate after truncate on agents
  for each statement execute function count_agents_truncate();
