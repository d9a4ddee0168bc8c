-- A signature may be used again from the client network of its first use. Null in rows of older
-- processes: their signatures stay used up.
alter table used_signatures add column client_network text collate "C";

-- Who prepared a sponsored registration, and for which wallet: it counts for its client network while it
-- can be signed.
alter table prepared_transactions add column client_network text collate "C";
alter table prepared_transactions add column wallet text collate "C";
create index prepared_transactions_network on prepared_transactions (client_network)
  where client_network is not null and not settled and signed_tx is null;

-- When, and at which slot, the tables last contained everything of the ledger. Null until the first
-- write of an indexer that knows these columns.
alter table indexer_state add column caught_up_at timestamptz;
alter table indexer_state add column caught_up_slot bigint;
