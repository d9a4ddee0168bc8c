import { Migration } from '@mikro-orm/migrations'

/**
 * Projections of the registry program's accounts.
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
      create table stakes (
        pda text collate "C" primary key,
        agent_pda text collate "C" not null,
        owner text collate "C" not null,
        deposited_amount numeric(20, 0) not null,
        locked_amount numeric(20, 0) not null,
        pending_withdrawal numeric(20, 0) not null,
        rent_payer text collate "C" not null,
        bump smallint not null,
        slot bigint not null,
        constraint stakes_agent unique (agent_pda)
      )`)
    this.addSql('create index stakes_owner on stakes (owner)')

    this.addSql(`
      create table registry_config (
        pda text collate "C" primary key,
        admin text collate "C" not null,
        usdc_mint text collate "C" not null,
        treasury text collate "C" not null,
        tier_thresholds numeric(20, 0)[] not null,
        cooldown_seconds bigint not null,
        paused boolean not null,
        bump smallint not null,
        slot bigint not null
      )`)
    this.addSql(`
      create table withdrawal_requests (
        pda text collate "C" primary key,
        stake_pda text collate "C" not null,
        amount numeric(20, 0) not null,
        requested_at timestamptz not null,
        bump smallint not null,
        slot bigint not null
      )`)
    this.addSql('create index withdrawal_requests_stake on withdrawal_requests (stake_pda)')
    this.addSql(`
      create table reputation_reporters (
        pda text collate "C" primary key,
        authority text collate "C" not null,
        registered_by text collate "C" not null,
        label text not null,
        weight smallint not null,
        total_reports numeric(20, 0) not null,
        active boolean not null,
        bump smallint not null,
        slot bigint not null
      )`)
    this.addSql(`
      create table deactivation_records (
        pda text collate "C" primary key,
        owner text collate "C" not null,
        deactivated_at timestamptz not null,
        final_reputation integer not null,
        bump smallint not null,
        slot bigint not null
      )`)

    // Accounts that were seen closed: a read made at an earlier slot must not bring them back.
    this.addSql(`
      create table closed_accounts (
        pda text collate "C" primary key,
        slot bigint not null
      )`)

    // Off-chain: a rebuild of the projections takes agents.card_hash_mismatch from here.
    this.addSql(`
      create table agent_card_checks (
        agent_pda text collate "C" primary key,
        card_hash_mismatch boolean not null,
        checked_at timestamptz not null
      )`)
  }
}
