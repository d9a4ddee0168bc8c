import { Migration } from '@mikro-orm/migrations'

/**
 * What the indexer has read from the ledger: transactions, the events they logged, what those mean to an agent's history
 * and to webhook receivers, and how far reading has come.
 *
 * `position` is fixed width, so that text order is ledger order: slot(20)-transaction(6)-outer(4)-inner(4)-ordinal(4).
 * `finality` is confirmed, finalized or orphaned.
 */
export class Migration0003Events extends Migration {
  override up(): void {
    this.addSql(`
      create table ledger_transactions (
        signature text collate "C" primary key,
        slot bigint not null,
        transaction_index integer not null,
        accounts text[] collate "C" not null,
        finality text not null default 'confirmed'
      )`)
    this.addSql(
      "create index ledger_transactions_unfinalized on ledger_transactions (slot) where finality = 'confirmed'",
    )

    this.addSql(`
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
      )`)
    this.addSql('create index ledger_events_by_agent on ledger_events (agent_pda, position desc)')
    this.addSql('create index ledger_events_signature on ledger_events (signature)')
    this.addSql("create index ledger_events_unfinalized on ledger_events (slot) where finality = 'confirmed'")

    this.addSql(`
      create table agent_history (
        event_id text collate "C" primary key references ledger_events (id) on delete cascade,
        position text collate "C" not null,
        agent_pda text collate "C" not null,
        event_type text not null,
        old_value text not null,
        new_value text not null,
        delta text,
        occurred_at timestamptz not null
      )`)
    this.addSql('create index agent_history_by_agent on agent_history (agent_pda, position desc)')
    this.addSql('create index agent_history_by_type on agent_history (agent_pda, event_type, position desc)')

    // No foreign key to ledger_events: a rebuild empties that table, and what was enqueued must stay enqueued once.
    this.addSql(`
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
        cancelled_at timestamptz
      )`)
    this.addSql('create index outbox_events_event on outbox_events (event_id)')

    this.addSql(`
      create table dead_letters (
        id text collate "C" primary key,
        kind text not null,
        signature text collate "C",
        pda text collate "C",
        slot bigint not null,
        reason text not null,
        data text,
        created_at timestamptz not null default now()
      )`)

    // One row. leader_epoch grows whenever an indexer takes over, so that one that lost its lock can no longer write.
    this.addSql(`
      create table indexer_state (
        id smallint primary key default 1 check (id = 1),
        program_id text collate "C" not null,
        genesis_hash text collate "C" not null,
        leader_epoch bigint not null default 0,
        cursor_slot bigint not null default 0,
        cursor_signature text collate "C",
        finalized_slot bigint not null default 0,
        finalized_signature text collate "C",
        updated_at timestamptz not null default now()
      )`)
  }
}
