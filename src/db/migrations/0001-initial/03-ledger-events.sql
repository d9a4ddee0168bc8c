-- `position` has a fixed width, so that text order is ledger order:
-- slot(20)-transaction(6)-outer(4)-inner(4).
-- `finality` is confirmed, finalized or orphaned.
-- The indexer writes millions of these rows. Columns that are only compared by equality have a hash
-- index, which is a quarter as large as a B-tree.

create table ledger_transactions (
  signature text collate "C" primary key,
  slot bigint not null,
  transaction_index integer not null,
  accounts text[] collate "C" not null,
  finality text not null default 'confirmed'
);
create index ledger_transactions_unfinalized on ledger_transactions (slot) where finality = 'confirmed';

create table ledger_events (
  id text collate "C" primary key,
  position text collate "C" not null,
  signature text collate "C" not null,
  slot bigint not null,
  name text not null,
  agent_pda text collate "C" not null,
  owner text collate "C" not null,
  data jsonb not null,
  finality text not null default 'confirmed',
  occurred_at timestamptz not null
);
create index ledger_events_unfinalized on ledger_events (slot) where finality = 'confirmed';
create index ledger_events_signature on ledger_events using hash (signature);

-- No foreign key to ledger_events, which would slow down each insert: both rows are written and
-- deleted in one transaction, and the audit compares them.
create table agent_history (
  event_id text collate "C" primary key,
  position text collate "C" not null,
  agent_pda text collate "C" not null,
  event_type text not null,
  old_value text not null,
  new_value text not null,
  delta text,
  occurred_at timestamptz not null
);
create index agent_history_by_agent on agent_history (agent_pda, position desc);
create index agent_history_by_type on agent_history (agent_pda, event_type, position desc);

-- Entries whose event a fork removed. They are kept, since readers may have seen them.
create table orphaned_history (
  event_id text collate "C" primary key,
  position text collate "C" not null,
  agent_pda text collate "C" not null,
  event_type text not null,
  old_value text not null,
  new_value text not null,
  delta text,
  occurred_at timestamptz not null,
  orphaned_at timestamptz not null default now()
);
create index orphaned_history_by_agent on orphaned_history (agent_pda, position desc);

-- No foreign key to ledger_events: a rebuild empties that table, and an event is enqueued only once.
-- When the ledger brings back an event that a fork had removed, `restored_sequence` gives the event a
-- second position at the end, so that streams which skipped the first position receive it.
create table outbox_events (
  sequence bigint generated always as identity primary key,
  id text collate "C" not null unique,
  event_id text collate "C" not null,
  type text not null,
  agent_pda text collate "C" not null,
  slot bigint not null,
  body text not null,
  occurred_at timestamptz not null,
  created_at timestamptz not null default now(),
  cancelled_at timestamptz,
  restored_sequence bigint
);
create index outbox_events_event on outbox_events using hash (event_id);
create index outbox_events_by_agent on outbox_events (agent_pda, sequence);
create index outbox_events_restored on outbox_events (restored_sequence)
  where restored_sequence is not null;

create table dead_letters (
  id text collate "C" primary key,
  kind text not null,
  signature text collate "C",
  pda text collate "C",
  slot bigint not null,
  reason text not null,
  data text,
  created_at timestamptz not null default now()
);

-- One row. `leader_epoch` grows whenever an indexer takes over, so that an indexer that lost its lock
-- cannot write. `commits` grows with every commit: an indexer uses it to find a commit that was lost.
create table indexer_state (
  id smallint primary key default 1 check (id = 1),
  program_id text collate "C" not null,
  genesis_hash text collate "C" not null,
  leader_epoch bigint not null default 0,
  cursor_slot bigint not null default 0,
  cursor_signature text collate "C",
  finalized_slot bigint not null default 0,
  finalized_signature text collate "C",
  updated_at timestamptz not null default now(),
  commits bigint not null default 0
);
