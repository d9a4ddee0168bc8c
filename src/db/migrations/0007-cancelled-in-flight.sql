-- An attempt in flight when its delivery is cancelled: it keeps its lease, so that limits count it.
alter table webhook_deliveries add column cancel_requested boolean not null default false;
