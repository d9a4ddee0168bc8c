-- When an operator asked for a retry. Null after the retry.
alter table dead_letters add column retry_requested_at timestamptz;
