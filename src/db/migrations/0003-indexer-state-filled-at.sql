-- When the tables contained everything of the ledger for the first time.
alter table indexer_state add column filled_at timestamptz;
update indexer_state set filled_at = updated_at where cursor_slot > 0;
