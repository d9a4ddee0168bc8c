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
);
create index stakes_owner on stakes (owner);

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
);

create table withdrawal_requests (
  pda text collate "C" primary key,
  stake_pda text collate "C" not null,
  amount numeric(20, 0) not null,
  requested_at timestamptz not null,
  bump smallint not null,
  slot bigint not null
);
create index withdrawal_requests_stake on withdrawal_requests (stake_pda);

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
);

create table deactivation_records (
  pda text collate "C" primary key,
  owner text collate "C" not null,
  deactivated_at timestamptz not null,
  final_reputation integer not null,
  bump smallint not null,
  slot bigint not null
);

-- Accounts that were closed. A read of an earlier slot must not restore them.
create table closed_accounts (
  pda text collate "C" primary key,
  slot bigint not null
);
