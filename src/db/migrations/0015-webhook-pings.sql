-- Finds the old pings of a webhook: only the newest are stored.
create index webhook_deliveries_pings on webhook_deliveries (subscription_id, created_at) where event_type = 'ping';
