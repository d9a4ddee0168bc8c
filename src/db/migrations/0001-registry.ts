import { Migration } from '@mikro-orm/migrations'

/**
 * Projections of the registry's accounts and the log of its events.
 * u64 values are numeric(20,0), since bigint ends at 2^63; hashes are lower-case hex; keys are base-58 under the C collation.
 * `slot` is the slot at which the row's state was read: an older read never replaces a newer one.
 */
export class Migration0001Registry extends Migration {
  override up(): void {
    this.addSql('create extension if not exists pg_trgm')

    this.addSql(`
      create table agents (
        pda text collate "C" primary key,
        owner text collate "C" not null,
        name text not null,
        tier text not null,
        status text not null,
        service_category text not null,
        reputation_score integer not null,
        capabilities numeric(20, 0) not null,
        version text not null,
        agent_card_url text not null,
        agent_card_hash text not null,
        card_hash_mismatch boolean not null default false,
        suspended_by_admin boolean not null,
        reputation_change_today integer not null,
        reputation_day_start timestamptz not null,
        reputation_updated_at timestamptz not null,
        tier_effective_at timestamptz not null,
        rent_payer text collate "C" not null,
        bump smallint not null,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        slot bigint not null
      )`)
    this.addSql('create index agents_owner on agents (owner)')
    this.addSql('create index agents_name_trgm on agents using gin (name gin_trgm_ops)')
    this.addSql('create index agents_by_created_at on agents (created_at desc, pda)')
    this.addSql('create index agents_by_reputation on agents (reputation_score desc, pda)')
    this.addSql('create index agents_by_name on agents (name, pda)')

    this.addSql(`
      create table agent_counts (
        tier text not null,
        status text not null,
        service_category text not null,
        card_hash_mismatch boolean not null,
        count bigint not null,
        primary key (tier, status, service_category, card_hash_mismatch)
      )`)

    this.addSql(`
      create table stakes (
        pda text collate "C" primary key,
        agent_pda text collate "C" not null,
        owner text collate "C" not null,
        deposited_amount numeric(20, 0) not null,
        locked_amount numeric(20, 0) not null,
        pending_withdrawal numeric(20, 0) not null,
        rent_payer text collate "C" not null,
        bump smallint not null,
        slot bigint not null
      )`)
    this.addSql('create index stakes_owner on stakes (owner)')
    this.addSql('create unique index stakes_agent on stakes (agent_pda)')

    this.addSql(`
      create table ledger_events (
        id text collate "C" primary key,
        position text collate "C" not null unique,
        signature text collate "C" not null,
        slot bigint not null,
        name text not null,
        agent_pda text collate "C" not null,
        owner text collate "C" not null,
        data jsonb not null,
        finality text not null default 'confirmed',
        occurred_at timestamptz not null
      )`)
    this.addSql('create index ledger_events_unfinalized on ledger_events (slot) where finality = \'confirmed\'')

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
  }
}
