-- A database of release 0.1.0 with a row in each table:
-- pg_dump --inserts --no-owner --no-privileges, without comments and session settings.
SELECT pg_catalog.set_config('search_path', '', false);
CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;
CREATE FUNCTION public.card_host(url text) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
  select coalesce(substring(lower(url) from '^https?://([^/?#]+)'), split_part(lower(url), ':', 1))
$$;
CREATE FUNCTION public.count_agents_delete() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO '$user', 'public'
    AS $$
begin
  insert into agent_counts as counted (tier, status, service_category, card_hash_mismatch, count)
  select tier, status, service_category, card_hash_mismatch, -count(*) from old_agents
  group by tier, status, service_category, card_hash_mismatch
  order by tier, status, service_category, card_hash_mismatch
  on conflict (tier, status, service_category, card_hash_mismatch)
    do update set count = counted.count + excluded.count;
  return null;
end $$;
CREATE FUNCTION public.count_agents_insert() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO '$user', 'public'
    AS $$
begin
  insert into agent_counts as counted (tier, status, service_category, card_hash_mismatch, count)
  select tier, status, service_category, card_hash_mismatch, count(*) from new_agents
  group by tier, status, service_category, card_hash_mismatch
  order by tier, status, service_category, card_hash_mismatch
  on conflict (tier, status, service_category, card_hash_mismatch)
    do update set count = counted.count + excluded.count;
  return null;
end $$;
CREATE FUNCTION public.count_agents_truncate() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO '$user', 'public'
    AS $$
begin
  delete from agent_counts;
  return null;
end $$;
CREATE FUNCTION public.count_agents_update() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO '$user', 'public'
    AS $$
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
CREATE FUNCTION public.queue_card_checks_insert() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO '$user', 'public'
    AS $$
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
CREATE FUNCTION public.queue_card_checks_update() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO '$user', 'public'
    AS $$
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
CREATE FUNCTION public.record_read_version() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO '$user', 'public'
    AS $$
declare
  current_id bigint;
  free_id bigint;
begin
  if tg_op <> 'TRUNCATE' then
    if not exists (select from changed) then return null; end if;
  end if;
  current_id := pg_current_xact_id()::text::bigint;
  if exists (select from read_versions where table_group = tg_argv[0] and transaction_id = current_id) then
    return null;
  end if;
  select id into free_id from read_versions where table_group = tg_argv[0] limit 1 for update skip locked;
  if found then
    update read_versions set transaction_id = current_id where table_group = tg_argv[0] and id = free_id;
  else
    insert into read_versions (table_group, id, transaction_id) values (tg_argv[0], current_id, current_id);
  end if;
  return null;
end $$;
CREATE FUNCTION public.update_sponsorship_state() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO '$user', 'public'
    AS $$
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
CREATE TABLE public.agent_card_checks (
    agent_pda text NOT NULL COLLATE pg_catalog."C",
    card_hash_mismatch boolean NOT NULL,
    checked_at timestamp with time zone,
    url text DEFAULT ''::text NOT NULL,
    hash text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    host text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    state text DEFAULT 'unchecked'::text NOT NULL,
    reason text,
    matched_by text,
    signature text,
    content jsonb,
    failures integer DEFAULT 0 NOT NULL,
    next_check_at timestamp with time zone DEFAULT now() NOT NULL,
    lease_token text COLLATE pg_catalog."C"
);
CREATE TABLE public.agent_card_hosts (
    host text NOT NULL COLLATE pg_catalog."C",
    failures integer NOT NULL,
    retry_at timestamp with time zone NOT NULL
);
CREATE TABLE public.agent_counts (
    tier text NOT NULL,
    status text NOT NULL,
    service_category text NOT NULL,
    card_hash_mismatch boolean NOT NULL,
    count bigint NOT NULL
);
CREATE TABLE public.agent_credentials (
    agent_pda text NOT NULL COLLATE pg_catalog."C",
    vc_hash text NOT NULL COLLATE pg_catalog."C",
    credential_url text NOT NULL,
    source text NOT NULL,
    type text NOT NULL,
    issuer text NOT NULL,
    valid_from timestamp with time zone,
    valid_until timestamp with time zone,
    verdict jsonb NOT NULL,
    document text NOT NULL,
    indexed_at timestamp with time zone NOT NULL
);
CREATE TABLE public.agent_history (
    event_id text NOT NULL COLLATE pg_catalog."C",
    "position" text NOT NULL COLLATE pg_catalog."C",
    agent_pda text NOT NULL COLLATE pg_catalog."C",
    event_type text NOT NULL,
    old_value text NOT NULL,
    new_value text NOT NULL,
    delta text,
    occurred_at timestamp with time zone NOT NULL
);
CREATE TABLE public.agents (
    pda text NOT NULL COLLATE pg_catalog."C",
    owner text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    tier text NOT NULL,
    status text NOT NULL,
    service_category text NOT NULL,
    reputation_score integer NOT NULL,
    capabilities numeric(20,0) NOT NULL,
    version text NOT NULL,
    agent_card_url text NOT NULL,
    agent_card_hash text NOT NULL,
    card_hash_mismatch boolean DEFAULT false NOT NULL,
    suspended_by_admin boolean NOT NULL,
    reputation_change_today integer NOT NULL,
    reputation_day_start timestamp with time zone NOT NULL,
    reputation_updated_at timestamp with time zone NOT NULL,
    tier_effective_at timestamp with time zone NOT NULL,
    rent_payer text NOT NULL COLLATE pg_catalog."C",
    bump smallint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    slot bigint NOT NULL
);
CREATE TABLE public.closed_accounts (
    pda text NOT NULL COLLATE pg_catalog."C",
    slot bigint NOT NULL
);
CREATE TABLE public.deactivation_records (
    pda text NOT NULL COLLATE pg_catalog."C",
    owner text NOT NULL COLLATE pg_catalog."C",
    deactivated_at timestamp with time zone NOT NULL,
    final_reputation integer NOT NULL,
    bump smallint NOT NULL,
    slot bigint NOT NULL
);
CREATE TABLE public.dead_letters (
    id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL,
    signature text COLLATE pg_catalog."C",
    pda text COLLATE pg_catalog."C",
    slot bigint NOT NULL,
    reason text NOT NULL,
    data text,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.indexer_state (
    id smallint DEFAULT 1 NOT NULL,
    program_id text NOT NULL COLLATE pg_catalog."C",
    genesis_hash text NOT NULL COLLATE pg_catalog."C",
    leader_epoch bigint DEFAULT 0 NOT NULL,
    cursor_slot bigint DEFAULT 0 NOT NULL,
    cursor_signature text COLLATE pg_catalog."C",
    finalized_slot bigint DEFAULT 0 NOT NULL,
    finalized_signature text COLLATE pg_catalog."C",
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    commits bigint DEFAULT 0 NOT NULL,
    CONSTRAINT indexer_state_id_check CHECK ((id = 1))
);
CREATE TABLE public.invite_codes (
    hash text NOT NULL COLLATE pg_catalog."C",
    max_uses integer NOT NULL,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT invite_codes_max_uses CHECK ((max_uses > 0))
);
CREATE TABLE public.ledger_events (
    id text NOT NULL COLLATE pg_catalog."C",
    "position" text NOT NULL COLLATE pg_catalog."C",
    signature text NOT NULL COLLATE pg_catalog."C",
    slot bigint NOT NULL,
    name text NOT NULL,
    agent_pda text NOT NULL COLLATE pg_catalog."C",
    owner text NOT NULL COLLATE pg_catalog."C",
    data jsonb NOT NULL,
    finality text DEFAULT 'confirmed'::text NOT NULL,
    occurred_at timestamp with time zone NOT NULL
);
CREATE TABLE public.ledger_transactions (
    signature text NOT NULL COLLATE pg_catalog."C",
    slot bigint NOT NULL,
    transaction_index integer NOT NULL,
    accounts text[] NOT NULL COLLATE pg_catalog."C",
    finality text DEFAULT 'confirmed'::text NOT NULL
);
CREATE TABLE public.orphaned_history (
    event_id text NOT NULL COLLATE pg_catalog."C",
    "position" text NOT NULL COLLATE pg_catalog."C",
    agent_pda text NOT NULL COLLATE pg_catalog."C",
    event_type text NOT NULL,
    old_value text NOT NULL,
    new_value text NOT NULL,
    delta text,
    occurred_at timestamp with time zone NOT NULL,
    orphaned_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.outbox_events (
    sequence bigint NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    event_id text NOT NULL COLLATE pg_catalog."C",
    type text NOT NULL,
    agent_pda text NOT NULL COLLATE pg_catalog."C",
    slot bigint NOT NULL,
    body text NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    cancelled_at timestamp with time zone,
    restored_sequence bigint
);
ALTER TABLE public.outbox_events ALTER COLUMN sequence ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.outbox_events_sequence_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.prepared_transactions (
    id text NOT NULL COLLATE pg_catalog."C",
    status text NOT NULL,
    message text NOT NULL,
    last_valid_block_height bigint NOT NULL,
    signed_tx text,
    signature text COLLATE pg_catalog."C",
    sent_at timestamp with time zone,
    accepted boolean DEFAULT false NOT NULL,
    slot bigint,
    landed boolean DEFAULT false NOT NULL,
    misses integer DEFAULT 0 NOT NULL,
    error jsonb,
    sponsored boolean DEFAULT false NOT NULL,
    settled boolean DEFAULT false NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    next_check_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT prepared_transactions_error CHECK (((status = 'failed'::text) = (error IS NOT NULL)))
);
CREATE UNLOGGED TABLE public.rate_limits (
    kind text NOT NULL COLLATE pg_catalog."C",
    client text NOT NULL COLLATE pg_catalog."C",
    arrival double precision NOT NULL
)
WITH (fillfactor='70');
CREATE TABLE public.read_versions (
    table_group text NOT NULL COLLATE pg_catalog."C",
    id bigint NOT NULL,
    transaction_id bigint NOT NULL
);
CREATE TABLE public.registry_config (
    pda text NOT NULL COLLATE pg_catalog."C",
    admin text NOT NULL COLLATE pg_catalog."C",
    usdc_mint text NOT NULL COLLATE pg_catalog."C",
    treasury text NOT NULL COLLATE pg_catalog."C",
    tier_thresholds numeric(20,0)[] NOT NULL,
    cooldown_seconds bigint NOT NULL,
    paused boolean NOT NULL,
    bump smallint NOT NULL,
    slot bigint NOT NULL
);
CREATE TABLE public.reputation_reporters (
    pda text NOT NULL COLLATE pg_catalog."C",
    authority text NOT NULL COLLATE pg_catalog."C",
    registered_by text NOT NULL COLLATE pg_catalog."C",
    label text NOT NULL,
    weight smallint NOT NULL,
    total_reports numeric(20,0) NOT NULL,
    active boolean NOT NULL,
    bump smallint NOT NULL,
    slot bigint NOT NULL
);
CREATE TABLE public.schema_migrations (
    id integer NOT NULL,
    name character varying(255) NOT NULL,
    executed_at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP(6) NOT NULL
);
CREATE SEQUENCE public.schema_migrations_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.schema_migrations_id_seq OWNED BY public.schema_migrations.id;
CREATE TABLE public.sponsorships (
    id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL,
    wallet text NOT NULL COLLATE pg_catalog."C",
    agent_pda text COLLATE pg_catalog."C",
    code_hash text COLLATE pg_catalog."C",
    client_network text COLLATE pg_catalog."C",
    state text DEFAULT 'reserved'::text NOT NULL,
    reserved_lamports bigint NOT NULL,
    rent_lamports bigint,
    spent_lamports bigint,
    signature text COLLATE pg_catalog."C",
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    updated_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT sponsorships_kind CHECK ((kind = ANY (ARRAY['registration'::text, 'transaction'::text]))),
    CONSTRAINT sponsorships_registration CHECK (((kind = 'registration'::text) = (code_hash IS NOT NULL))),
    CONSTRAINT sponsorships_state CHECK ((state = ANY (ARRAY['reserved'::text, 'submitted'::text, 'confirmed'::text, 'failed'::text, 'released'::text])))
);
CREATE TABLE public.stakes (
    pda text NOT NULL COLLATE pg_catalog."C",
    agent_pda text NOT NULL COLLATE pg_catalog."C",
    owner text NOT NULL COLLATE pg_catalog."C",
    deposited_amount numeric(20,0) NOT NULL,
    locked_amount numeric(20,0) NOT NULL,
    pending_withdrawal numeric(20,0) NOT NULL,
    rent_payer text NOT NULL COLLATE pg_catalog."C",
    bump smallint NOT NULL,
    slot bigint NOT NULL
);
CREATE TABLE public.trusted_issuers (
    did text NOT NULL COLLATE pg_catalog."C",
    allowed_types text[],
    pinned_keys jsonb,
    not_before timestamp with time zone,
    not_after timestamp with time zone,
    enabled boolean DEFAULT true NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT trusted_issuers_period CHECK ((not_before <= not_after))
);
CREATE TABLE public.used_signatures (
    hash text NOT NULL COLLATE pg_catalog."C",
    used_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.webhook_attempts (
    id bigint NOT NULL,
    delivery_id text NOT NULL COLLATE pg_catalog."C",
    number integer NOT NULL,
    trigger text NOT NULL,
    outcome text NOT NULL,
    started_at timestamp with time zone NOT NULL,
    duration_ms integer NOT NULL,
    response_status integer,
    error_code text,
    response_excerpt text,
    next_attempt_at timestamp with time zone
);
ALTER TABLE public.webhook_attempts ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.webhook_attempts_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.webhook_deliveries (
    id text DEFAULT (gen_random_uuid())::text NOT NULL COLLATE pg_catalog."C",
    subscription_id text NOT NULL COLLATE pg_catalog."C",
    event_id text NOT NULL COLLATE pg_catalog."C",
    event_type text NOT NULL,
    body text,
    status text DEFAULT 'pending'::text NOT NULL,
    trigger text DEFAULT 'event'::text NOT NULL,
    attempt_count integer DEFAULT 0 NOT NULL,
    retry_step integer DEFAULT 0 NOT NULL,
    claim_count integer DEFAULT 0 NOT NULL,
    next_attempt_at timestamp with time zone DEFAULT now(),
    lease_token text COLLATE pg_catalog."C",
    lease_until timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    completed_at timestamp with time zone,
    CONSTRAINT webhook_deliveries_completed CHECK (((status = ANY (ARRAY['success'::text, 'failed'::text, 'cancelled'::text])) = (completed_at IS NOT NULL))),
    CONSTRAINT webhook_deliveries_lease CHECK ((((status = 'in_flight'::text) = (lease_token IS NOT NULL)) AND ((lease_token IS NULL) = (lease_until IS NULL)))),
    CONSTRAINT webhook_deliveries_next CHECK (((status = ANY (ARRAY['pending'::text, 'retrying'::text])) = (next_attempt_at IS NOT NULL))),
    CONSTRAINT webhook_deliveries_status CHECK ((status = ANY (ARRAY['pending'::text, 'in_flight'::text, 'success'::text, 'retrying'::text, 'failed'::text, 'cancelled'::text])))
)
WITH (fillfactor='80', autovacuum_vacuum_scale_factor='0.02');
CREATE TABLE public.webhook_subscriptions (
    id text NOT NULL COLLATE pg_catalog."C",
    wallet text NOT NULL COLLATE pg_catalog."C",
    url text NOT NULL,
    host text GENERATED ALWAYS AS (lower("substring"(url, '^[a-zA-Z]+://(\[[^]]+\]|[^/:?#]+)'::text))) STORED,
    event_types text[] NOT NULL,
    filter_agent_pda text COLLATE pg_catalog."C",
    active boolean DEFAULT true NOT NULL,
    secret_encrypted bytea NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    deleted_at timestamp with time zone,
    disabled_at timestamp with time zone,
    disabled_reason text,
    failing_since timestamp with time zone,
    last_failure_at timestamp with time zone,
    connect_failures integer DEFAULT 0 NOT NULL,
    breaker_opens integer DEFAULT 0 NOT NULL,
    paused_until timestamp with time zone
)
WITH (fillfactor='80');
CREATE TABLE public.withdrawal_requests (
    pda text NOT NULL COLLATE pg_catalog."C",
    stake_pda text NOT NULL COLLATE pg_catalog."C",
    amount numeric(20,0) NOT NULL,
    requested_at timestamp with time zone NOT NULL,
    bump smallint NOT NULL,
    slot bigint NOT NULL
);
ALTER TABLE ONLY public.schema_migrations ALTER COLUMN id SET DEFAULT nextval('public.schema_migrations_id_seq'::regclass);
INSERT INTO public.agent_card_checks VALUES ('9cMnV6BEHqyMgkv7Y1qJ8ztJJPMwkrbRcuXcpgCavkaN', false, '2026-11-20 00:00:00+00', 'https://agents.example/weather-scout.json', 'abababababababababababababababababababababababababababababababab', 'agents.example', 'matched', NULL, 'jcs', 'verified', '{"name": "Weather Scout", "skills": []}', 0, '2026-11-21 00:00:00+00', NULL);
INSERT INTO public.agent_card_checks VALUES ('5vJRzKtcp4fJxqmR7qzajkaKSiAb9aHzWuPjnq6ZJ3dJ', true, NULL, '', '0000000000000000000000000000000000000000000000000000000000000000', '', 'unchecked', NULL, NULL, NULL, NULL, 0, '2026-11-21 00:00:00+00', NULL);
INSERT INTO public.agent_card_hosts VALUES ('agents.example', 2, '2026-11-20 00:00:00+00');
INSERT INTO public.agent_counts VALUES ('observer', 'suspended', 'other', true, 1);
INSERT INTO public.agent_counts VALUES ('standard', 'active', 'research', false, 1);
INSERT INTO public.agent_credentials VALUES ('9cMnV6BEHqyMgkv7Y1qJ8ztJJPMwkrbRcuXcpgCavkaN', 'cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd', 'https://issuer.example/1', 'owner', 'SecurityAuditCredential', 'did:web:issuer.example', '2026-01-01 00:00:00+00', NULL, '{"types": [], "issuer": "did:web:issuer.example"}', '{}', '2026-11-20 00:00:00+00');
INSERT INTO public.agent_history VALUES ('evt', '0000000000000000000000000000000000000000', '9cMnV6BEHqyMgkv7Y1qJ8ztJJPMwkrbRcuXcpgCavkaN', 'tier_updated', 'basic', 'standard', NULL, '2026-11-20 00:00:00+00');
INSERT INTO public.agents VALUES ('9cMnV6BEHqyMgkv7Y1qJ8ztJJPMwkrbRcuXcpgCavkaN', 'B3m2Dys5U2ZqR5LhyP1TMTHkExn6uLy3dGvUpDbzwZsr', 'Weather Scout', 'standard', 'active', 'research', 250, 18446744073709551615, '1.4.0', 'https://agents.example/weather-scout.json', 'abababababababababababababababababababababababababababababababab', false, false, 0, '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00', 'B3m2Dys5U2ZqR5LhyP1TMTHkExn6uLy3dGvUpDbzwZsr', 255, '2026-11-20 10:00:00+00', '2026-11-20 11:00:00.123+00', 100);
INSERT INTO public.agents VALUES ('5vJRzKtcp4fJxqmR7qzajkaKSiAb9aHzWuPjnq6ZJ3dJ', 'B3m2Dys5U2ZqR5LhyP1TMTHkExn6uLy3dGvUpDbzwZsr', 'tab	here', 'observer', 'suspended', 'other', 0, 0, '', '', '0000000000000000000000000000000000000000000000000000000000000000', true, true, -5, '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00', 'B3m2Dys5U2ZqR5LhyP1TMTHkExn6uLy3dGvUpDbzwZsr', 254, '2026-11-19 10:00:00+00', '2026-11-20 11:00:00+00', 101);
INSERT INTO public.closed_accounts VALUES ('closed', 99);
INSERT INTO public.deactivation_records VALUES ('record', 'owner', '2026-11-20 00:00:00+00', 400, 255, 100);
INSERT INTO public.dead_letters VALUES ('letter', 'unknown_account', NULL, 'pda', 100, 'unknown discriminator', 'AAEC', '2026-11-20 00:00:00+00');
INSERT INTO public.indexer_state VALUES (1, 'program', 'genesis', 2, 100, 'signature', 90, 'earlier', '2026-11-20 00:00:00+00', 12);
INSERT INTO public.invite_codes VALUES ('efefefefefefefefefefefefefefefefefefefefefefefefefefefefefefefef', 5, NULL, NULL, '2026-11-20 00:00:00+00');
INSERT INTO public.ledger_events VALUES ('evt', '0000000000000000000000000000000000000000', 'signature', 100, 'TierUpdated', '9cMnV6BEHqyMgkv7Y1qJ8ztJJPMwkrbRcuXcpgCavkaN', 'owner', '{"newTier": "standard"}', 'confirmed', '2026-11-20 00:00:00+00');
INSERT INTO public.ledger_transactions VALUES ('signature', 100, 3, '{a,b}', 'confirmed');
INSERT INTO public.orphaned_history VALUES ('old', '0000000000000000000000000000000000000000', '9cMnV6BEHqyMgkv7Y1qJ8ztJJPMwkrbRcuXcpgCavkaN', 'reputation_updated', '250', '262', '+12', '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00');
INSERT INTO public.outbox_events OVERRIDING SYSTEM VALUE VALUES (1, 'wh_evt', 'evt', 'agent.updated', '9cMnV6BEHqyMgkv7Y1qJ8ztJJPMwkrbRcuXcpgCavkaN', 100, '{"id":"wh_evt"}', '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00', NULL, NULL);
INSERT INTO public.prepared_transactions VALUES ('00000000-0000-4000-8000-000000000001', 'submitted', 'AA==', 1000, 'AA==', 'signature', '2026-11-20 00:00:00+00', true, NULL, false, 0, NULL, true, false, 1, '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00');
INSERT INTO public.prepared_transactions VALUES ('00000000-0000-4000-8000-000000000002', 'failed', 'AA==', 1000, NULL, NULL, NULL, false, NULL, false, 0, '{"code": "blockhash_expired", "message": "expired"}', false, true, 1, '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00');
INSERT INTO public.rate_limits VALUES ('submit', '192.0.2.1', 1790000000000);
INSERT INTO public.read_versions VALUES ('agents', 0, 700);
INSERT INTO public.read_versions VALUES ('stakes', 0, 700);
INSERT INTO public.read_versions VALUES ('history', 0, 700);
INSERT INTO public.registry_config VALUES ('config', 'admin', 'mint', 'treasury', '{0,1,2,18446744073709551615}', 604800, false, 255, 100);
INSERT INTO public.reputation_reporters VALUES ('reporter', 'authority', 'admin', 'label', 3, 7, true, 255, 100);
INSERT INTO public.schema_migrations VALUES (1, '0001-initial', '2026-11-20 00:00:00+00');
INSERT INTO public.sponsorships VALUES ('00000000-0000-4000-8000-000000000001', 'registration', 'wallet', '5vJRzKtcp4fJxqmR7qzajkaKSiAb9aHzWuPjnq6ZJ3dJ', 'efefefefefefefefefefefefefefefefefefefefefefefefefefefefefefefef', '192.0.2.1', 'submitted', 5000000, 4000000, NULL, 'signature', '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00');
INSERT INTO public.stakes VALUES ('stake', '9cMnV6BEHqyMgkv7Y1qJ8ztJJPMwkrbRcuXcpgCavkaN', 'owner', 600000000, 0, 0, 'owner', 254, 100);
INSERT INTO public.trusted_issuers VALUES ('did:web:issuer.example', '{SecurityAuditCredential}', '[{"key": "B3m2Dys5U2ZqR5LhyP1TMTHkExn6uLy3dGvUpDbzwZsr", "verificationMethod": "did:web:issuer.example#key-1"}]', NULL, '2027-01-01 00:00:00+00', true, '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00');
INSERT INTO public.used_signatures VALUES ('hash', '2026-11-20 00:00:00+00');
INSERT INTO public.webhook_attempts OVERRIDING SYSTEM VALUE VALUES (1, '00000000-0000-4000-8000-000000000004', 1, 'event', 'failure', '2026-11-20 00:00:00+00', 12, 500, NULL, NULL, '2026-11-20 00:00:00+00');
INSERT INTO public.webhook_deliveries VALUES ('00000000-0000-4000-8000-000000000004', '00000000-0000-4000-8000-000000000003', 'wh_evt', 'agent.updated', NULL, 'retrying', 'retry', 1, 1, 0, '2026-11-20 00:00:00+00', NULL, NULL, '2026-11-20 00:00:00+00', NULL);
INSERT INTO public.webhook_subscriptions VALUES ('00000000-0000-4000-8000-000000000003', 'wallet', 'https://Receiver.example:8443/hook', DEFAULT, '{agent.updated,agent.closed}', NULL, true, '\x0102', '2026-11-20 00:00:00+00', '2026-11-20 00:00:00+00', NULL, NULL, NULL, NULL, NULL, 0, 0, NULL);
INSERT INTO public.withdrawal_requests VALUES ('withdrawal', 'stake', 5, '2026-11-20 00:00:00+00', 255, 100);
SELECT pg_catalog.setval('public.outbox_events_sequence_seq', 1, true);
SELECT pg_catalog.setval('public.schema_migrations_id_seq', 1, true);
SELECT pg_catalog.setval('public.webhook_attempts_id_seq', 1, true);
ALTER TABLE ONLY public.agent_card_checks
    ADD CONSTRAINT agent_card_checks_pkey PRIMARY KEY (agent_pda);
ALTER TABLE ONLY public.agent_card_hosts
    ADD CONSTRAINT agent_card_hosts_pkey PRIMARY KEY (host);
ALTER TABLE ONLY public.agent_counts
    ADD CONSTRAINT agent_counts_pkey PRIMARY KEY (tier, status, service_category, card_hash_mismatch);
ALTER TABLE ONLY public.agent_credentials
    ADD CONSTRAINT agent_credentials_pkey PRIMARY KEY (agent_pda, vc_hash);
ALTER TABLE ONLY public.agent_history
    ADD CONSTRAINT agent_history_pkey PRIMARY KEY (event_id);
ALTER TABLE ONLY public.agents
    ADD CONSTRAINT agents_pkey PRIMARY KEY (pda);
ALTER TABLE ONLY public.closed_accounts
    ADD CONSTRAINT closed_accounts_pkey PRIMARY KEY (pda);
ALTER TABLE ONLY public.deactivation_records
    ADD CONSTRAINT deactivation_records_pkey PRIMARY KEY (pda);
ALTER TABLE ONLY public.dead_letters
    ADD CONSTRAINT dead_letters_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.indexer_state
    ADD CONSTRAINT indexer_state_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.invite_codes
    ADD CONSTRAINT invite_codes_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.ledger_events
    ADD CONSTRAINT ledger_events_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.ledger_transactions
    ADD CONSTRAINT ledger_transactions_pkey PRIMARY KEY (signature);
ALTER TABLE ONLY public.orphaned_history
    ADD CONSTRAINT orphaned_history_pkey PRIMARY KEY (event_id);
ALTER TABLE ONLY public.outbox_events
    ADD CONSTRAINT outbox_events_id_key UNIQUE (id);
ALTER TABLE ONLY public.outbox_events
    ADD CONSTRAINT outbox_events_pkey PRIMARY KEY (sequence);
ALTER TABLE ONLY public.prepared_transactions
    ADD CONSTRAINT prepared_transactions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.rate_limits
    ADD CONSTRAINT rate_limits_pkey PRIMARY KEY (kind, client);
ALTER TABLE ONLY public.read_versions
    ADD CONSTRAINT read_versions_pkey PRIMARY KEY (table_group, id);
ALTER TABLE ONLY public.registry_config
    ADD CONSTRAINT registry_config_pkey PRIMARY KEY (pda);
ALTER TABLE ONLY public.reputation_reporters
    ADD CONSTRAINT reputation_reporters_pkey PRIMARY KEY (pda);
ALTER TABLE ONLY public.schema_migrations
    ADD CONSTRAINT schema_migrations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.sponsorships
    ADD CONSTRAINT sponsorships_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.stakes
    ADD CONSTRAINT stakes_agent UNIQUE (agent_pda);
ALTER TABLE ONLY public.stakes
    ADD CONSTRAINT stakes_pkey PRIMARY KEY (pda);
ALTER TABLE ONLY public.trusted_issuers
    ADD CONSTRAINT trusted_issuers_pkey PRIMARY KEY (did);
ALTER TABLE ONLY public.used_signatures
    ADD CONSTRAINT used_signatures_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.webhook_attempts
    ADD CONSTRAINT webhook_attempts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_event UNIQUE (event_id, subscription_id);
ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.webhook_subscriptions
    ADD CONSTRAINT webhook_subscriptions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.withdrawal_requests
    ADD CONSTRAINT withdrawal_requests_pkey PRIMARY KEY (pda);
CREATE INDEX agent_card_checks_due ON public.agent_card_checks USING btree (next_check_at);
CREATE INDEX agent_card_checks_host ON public.agent_card_checks USING btree (host);
CREATE INDEX agent_history_by_agent ON public.agent_history USING btree (agent_pda, "position" DESC);
CREATE INDEX agent_history_by_type ON public.agent_history USING btree (agent_pda, event_type, "position" DESC);
CREATE INDEX agents_by_created_at ON public.agents USING btree (created_at DESC, pda) INCLUDE (tier, status, service_category, card_hash_mismatch, reputation_score);
CREATE INDEX agents_by_name ON public.agents USING btree (name COLLATE "C", pda) INCLUDE (tier, status, service_category, card_hash_mismatch, reputation_score);
CREATE INDEX agents_by_reputation ON public.agents USING btree (reputation_score DESC, pda) INCLUDE (tier, status, service_category, card_hash_mismatch);
CREATE INDEX agents_by_reputation_ascending ON public.agents USING btree (reputation_score, pda) INCLUDE (tier, status, service_category, card_hash_mismatch);
CREATE INDEX agents_name_trgm ON public.agents USING gin (name public.gin_trgm_ops);
CREATE INDEX agents_owner ON public.agents USING btree (owner);
CREATE INDEX ledger_events_signature ON public.ledger_events USING hash (signature);
CREATE INDEX ledger_events_unfinalized ON public.ledger_events USING btree (slot) WHERE (finality = 'confirmed'::text);
CREATE INDEX ledger_transactions_unfinalized ON public.ledger_transactions USING btree (slot) WHERE (finality = 'confirmed'::text);
CREATE INDEX orphaned_history_by_agent ON public.orphaned_history USING btree (agent_pda, "position" DESC);
CREATE INDEX outbox_events_by_agent ON public.outbox_events USING btree (agent_pda, sequence);
CREATE INDEX outbox_events_event ON public.outbox_events USING hash (event_id);
CREATE INDEX outbox_events_restored ON public.outbox_events USING btree (restored_sequence) WHERE (restored_sequence IS NOT NULL);
CREATE INDEX prepared_transactions_due ON public.prepared_transactions USING btree (next_check_at) WHERE (NOT settled);
CREATE INDEX prepared_transactions_signature ON public.prepared_transactions USING btree (signature);
CREATE INDEX sponsorships_code ON public.sponsorships USING btree (code_hash) WHERE (state = ANY (ARRAY['reserved'::text, 'submitted'::text, 'confirmed'::text]));
CREATE INDEX sponsorships_day ON public.sponsorships USING btree (created_at) WHERE (state <> 'released'::text);
CREATE INDEX sponsorships_network ON public.sponsorships USING btree (client_network, created_at) WHERE ((kind = 'registration'::text) AND (state <> 'released'::text));
CREATE UNIQUE INDEX sponsorships_one_per_wallet ON public.sponsorships USING btree (wallet) WHERE ((kind = 'registration'::text) AND (state = ANY (ARRAY['submitted'::text, 'confirmed'::text])));
CREATE INDEX sponsorships_open ON public.sponsorships USING btree (created_at) WHERE (state = ANY (ARRAY['reserved'::text, 'submitted'::text]));
CREATE INDEX sponsorships_prepared_registrations ON public.sponsorships USING btree (wallet, client_network) WHERE ((kind = 'registration'::text) AND (state = 'reserved'::text));
CREATE INDEX sponsorships_unknown_cost ON public.sponsorships USING btree (updated_at) WHERE ((state = ANY (ARRAY['confirmed'::text, 'failed'::text])) AND (spent_lamports IS NULL));
CREATE INDEX sponsorships_wallet_day ON public.sponsorships USING btree (wallet, created_at) WHERE ((kind = 'transaction'::text) AND (state <> 'released'::text));
CREATE INDEX stakes_owner ON public.stakes USING btree (owner);
CREATE INDEX used_signatures_used_at ON public.used_signatures USING btree (used_at);
CREATE INDEX webhook_attempts_age ON public.webhook_attempts USING brin (started_at);
CREATE INDEX webhook_attempts_delivery ON public.webhook_attempts USING btree (delivery_id, id);
CREATE INDEX webhook_deliveries_age ON public.webhook_deliveries USING brin (created_at);
CREATE INDEX webhook_deliveries_in_flight ON public.webhook_deliveries USING btree (subscription_id) WHERE (status = 'in_flight'::text);
CREATE INDEX webhook_deliveries_log ON public.webhook_deliveries USING btree (subscription_id, created_at DESC, id DESC);
CREATE INDEX webhook_deliveries_pending ON public.webhook_deliveries USING btree (subscription_id, next_attempt_at) WHERE (status = 'pending'::text);
CREATE INDEX webhook_deliveries_retrying ON public.webhook_deliveries USING btree (subscription_id, next_attempt_at) WHERE (status = 'retrying'::text);
CREATE INDEX webhook_subscriptions_wallet ON public.webhook_subscriptions USING btree (wallet, created_at);
CREATE INDEX withdrawal_requests_stake ON public.withdrawal_requests USING btree (stake_pda);
CREATE TRIGGER count_agents_delete AFTER DELETE ON public.agents REFERENCING OLD TABLE AS old_agents FOR EACH STATEMENT EXECUTE FUNCTION public.count_agents_delete();
CREATE TRIGGER count_agents_insert AFTER INSERT ON public.agents REFERENCING NEW TABLE AS new_agents FOR EACH STATEMENT EXECUTE FUNCTION public.count_agents_insert();
CREATE TRIGGER count_agents_truncate AFTER TRUNCATE ON public.agents FOR EACH STATEMENT EXECUTE FUNCTION public.count_agents_truncate();
CREATE TRIGGER count_agents_update AFTER UPDATE ON public.agents REFERENCING OLD TABLE AS old_agents NEW TABLE AS new_agents FOR EACH STATEMENT EXECUTE FUNCTION public.count_agents_update();
CREATE TRIGGER queue_card_checks_insert AFTER INSERT ON public.agents REFERENCING NEW TABLE AS new_agents FOR EACH STATEMENT EXECUTE FUNCTION public.queue_card_checks_insert();
CREATE TRIGGER queue_card_checks_update AFTER UPDATE ON public.agents REFERENCING OLD TABLE AS old_agents NEW TABLE AS new_agents FOR EACH STATEMENT EXECUTE FUNCTION public.queue_card_checks_update();
CREATE TRIGGER record_read_version_delete AFTER DELETE ON public.agent_counts REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.record_read_version('agents');
ALTER TABLE public.agent_counts ENABLE ALWAYS TRIGGER record_read_version_delete;
CREATE TRIGGER record_read_version_delete AFTER DELETE ON public.agent_history REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.record_read_version('history');
ALTER TABLE public.agent_history ENABLE ALWAYS TRIGGER record_read_version_delete;
CREATE TRIGGER record_read_version_delete AFTER DELETE ON public.agents REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.record_read_version('agents');
ALTER TABLE public.agents ENABLE ALWAYS TRIGGER record_read_version_delete;
CREATE TRIGGER record_read_version_delete AFTER DELETE ON public.stakes REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.record_read_version('stakes');
ALTER TABLE public.stakes ENABLE ALWAYS TRIGGER record_read_version_delete;
CREATE TRIGGER record_read_version_insert AFTER INSERT ON public.agent_counts REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.record_read_version('agents');
ALTER TABLE public.agent_counts ENABLE ALWAYS TRIGGER record_read_version_insert;
CREATE TRIGGER record_read_version_insert AFTER INSERT ON public.agent_history REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.record_read_version('history');
ALTER TABLE public.agent_history ENABLE ALWAYS TRIGGER record_read_version_insert;
CREATE TRIGGER record_read_version_insert AFTER INSERT ON public.agents REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.record_read_version('agents');
ALTER TABLE public.agents ENABLE ALWAYS TRIGGER record_read_version_insert;
CREATE TRIGGER record_read_version_insert AFTER INSERT ON public.stakes REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.record_read_version('stakes');
ALTER TABLE public.stakes ENABLE ALWAYS TRIGGER record_read_version_insert;
CREATE TRIGGER record_read_version_truncate AFTER TRUNCATE ON public.agent_counts FOR EACH STATEMENT EXECUTE FUNCTION public.record_read_version('agents');
ALTER TABLE public.agent_counts ENABLE ALWAYS TRIGGER record_read_version_truncate;
CREATE TRIGGER record_read_version_truncate AFTER TRUNCATE ON public.agent_history FOR EACH STATEMENT EXECUTE FUNCTION public.record_read_version('history');
ALTER TABLE public.agent_history ENABLE ALWAYS TRIGGER record_read_version_truncate;
CREATE TRIGGER record_read_version_truncate AFTER TRUNCATE ON public.agents FOR EACH STATEMENT EXECUTE FUNCTION public.record_read_version('agents');
ALTER TABLE public.agents ENABLE ALWAYS TRIGGER record_read_version_truncate;
CREATE TRIGGER record_read_version_truncate AFTER TRUNCATE ON public.stakes FOR EACH STATEMENT EXECUTE FUNCTION public.record_read_version('stakes');
ALTER TABLE public.stakes ENABLE ALWAYS TRIGGER record_read_version_truncate;
CREATE TRIGGER record_read_version_update AFTER UPDATE ON public.agent_counts REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.record_read_version('agents');
ALTER TABLE public.agent_counts ENABLE ALWAYS TRIGGER record_read_version_update;
CREATE TRIGGER record_read_version_update AFTER UPDATE ON public.agent_history REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.record_read_version('history');
ALTER TABLE public.agent_history ENABLE ALWAYS TRIGGER record_read_version_update;
CREATE TRIGGER record_read_version_update AFTER UPDATE ON public.agents REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.record_read_version('agents');
ALTER TABLE public.agents ENABLE ALWAYS TRIGGER record_read_version_update;
CREATE TRIGGER record_read_version_update AFTER UPDATE ON public.stakes REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.record_read_version('stakes');
ALTER TABLE public.stakes ENABLE ALWAYS TRIGGER record_read_version_update;
CREATE TRIGGER update_sponsorship_state AFTER UPDATE OF status, settled, slot, signed_tx ON public.prepared_transactions FOR EACH ROW WHEN ((new.sponsored AND ((old.status <> new.status) OR (old.settled <> new.settled) OR (old.slot IS DISTINCT FROM new.slot) OR ((old.signed_tx IS NULL) <> (new.signed_tx IS NULL))))) EXECUTE FUNCTION public.update_sponsorship_state();
ALTER TABLE ONLY public.sponsorships
    ADD CONSTRAINT sponsorships_code_hash_foreign FOREIGN KEY (code_hash) REFERENCES public.invite_codes(hash);
ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_subscription_id_foreign FOREIGN KEY (subscription_id) REFERENCES public.webhook_subscriptions(id) ON DELETE CASCADE;
