create table webhook_subscriptions (
  id text collate "C" primary key,
  wallet text collate "C" not null,
  url text not null,
  host text generated always as (lower(substring(url from '^[a-zA-Z]+://(\[[^]]+\]|[^/:?#]+)'))) stored,
  event_types text[] not null,
  filter_agent_pda text collate "C",
  active boolean not null default true,
  secret_encrypted bytea not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  disabled_at timestamptz,
  disabled_reason text,
  failing_since timestamptz,
  last_failure_at timestamptz,
  connect_failures integer not null default 0,
  breaker_opens integer not null default 0,
  paused_until timestamptz
) with (fillfactor = 80);
create index webhook_subscriptions_wallet on webhook_subscriptions (wallet, created_at);

-- One row per event and subscription. Rows are narrow and change often: bodies stay in outbox_events,
-- responses go to webhook_attempts.
create table webhook_deliveries (
  id text collate "C" primary key default gen_random_uuid()::text,
  subscription_id text collate "C" not null constraint webhook_deliveries_subscription_id_foreign
    references webhook_subscriptions (id) on delete cascade,
  event_id text collate "C" not null,
  event_type text not null,
  body text,
  status text not null default 'pending',
  trigger text not null default 'event',
  attempt_count integer not null default 0,
  retry_step integer not null default 0,
  claim_count integer not null default 0,
  next_attempt_at timestamptz default now(),
  lease_token text collate "C",
  lease_until timestamptz,
  created_at timestamptz not null default now(),
  completed_at timestamptz,
  constraint webhook_deliveries_event unique (event_id, subscription_id),
  constraint webhook_deliveries_status check
    (status in ('pending', 'in_flight', 'success', 'retrying', 'failed', 'cancelled')),
  constraint webhook_deliveries_lease check
    ((status = 'in_flight') = (lease_token is not null) and (lease_token is null) = (lease_until is null)),
  constraint webhook_deliveries_next check ((status in ('pending', 'retrying')) = (next_attempt_at is not null)),
  constraint webhook_deliveries_completed check
    ((status in ('success', 'failed', 'cancelled')) = (completed_at is not null))
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);

-- The claim reads `pending` and `retrying` deliveries endpoint by endpoint, each from a small index.
create index webhook_deliveries_pending on webhook_deliveries (subscription_id, next_attempt_at)
  where status = 'pending';
create index webhook_deliveries_retrying on webhook_deliveries (subscription_id, next_attempt_at)
  where status = 'retrying';
create index webhook_deliveries_in_flight on webhook_deliveries (subscription_id) where status = 'in_flight';
create index webhook_deliveries_log on webhook_deliveries (subscription_id, created_at desc, id desc);
create index webhook_deliveries_age on webhook_deliveries using brin (created_at);

-- No foreign key: attempts stay on record when their delivery is deleted.
create table webhook_attempts (
  id bigint generated always as identity primary key,
  delivery_id text collate "C" not null,
  number integer not null,
  trigger text not null,
  outcome text not null,
  started_at timestamptz not null,
  duration_ms integer not null,
  response_status integer,
  error_code text,
  response_excerpt text,
  next_attempt_at timestamptz
);
create index webhook_attempts_delivery on webhook_attempts (delivery_id, id);
create index webhook_attempts_age on webhook_attempts using brin (started_at);
