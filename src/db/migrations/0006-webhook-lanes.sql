-- Rows that exist already have no network and no site: their wallet and host are used instead.
alter table webhook_subscriptions
  add column network text collate "C",
  add column site text collate "C",
  add column response_ms float8;
create index webhook_subscriptions_network on webhook_subscriptions (network, created_at);
create index webhook_subscriptions_active on webhook_subscriptions (id) where active and deleted_at is null;

-- The claim visits one network after the other, and in each of them the endpoints.
alter table webhook_deliveries add column network text collate "C" not null default '-';
update webhook_deliveries d set network = s.wallet
  from webhook_subscriptions s
  where s.id = d.subscription_id and d.status in ('pending', 'retrying', 'in_flight');
drop index webhook_deliveries_pending;
drop index webhook_deliveries_retrying;
create index webhook_deliveries_pending on webhook_deliveries (network, subscription_id, next_attempt_at)
  where status = 'pending';
create index webhook_deliveries_retrying on webhook_deliveries (network, subscription_id, next_attempt_at)
  where status = 'retrying';

-- Events with webhooks for which no delivery was enqueued yet: those with a larger id than `after`.
create table webhook_fan_outs (
  event_id text collate "C" primary key,
  sequence bigint not null,
  after text collate "C" not null,
  started_at timestamptz not null default now()
);
create index webhook_fan_outs_order on webhook_fan_outs (sequence);
