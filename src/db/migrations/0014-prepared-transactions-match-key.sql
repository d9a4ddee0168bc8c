-- Finds a prepared transaction by a transaction of the ledger that the wallet sent itself. Null if the
-- wallet cannot: the service pays.
alter table prepared_transactions add column match_key text collate "C";
create index prepared_transactions_match_key on prepared_transactions (match_key) where match_key is not null;
