import type { RegistryAccount, RegistryAccounts } from '@agent-registry/program'
import type { Database } from '../../db/database.ts'
import { hex, isoFromSeconds, storable } from './values.ts'

type StateTable = Extract<
  keyof Database,
  | 'agents'
  | 'stakes'
  | 'registry_config'
  | 'withdrawal_requests'
  | 'reputation_reporters'
  | 'deactivation_records'
>

/** A row as the database reads it back: numeric as text, times as ISO text. */
export type StateRow = Record<string, string | number | boolean | string[]>

export interface Projection<Name extends keyof RegistryAccounts = keyof RegistryAccounts> {
  account: Name
  table: StateTable
  /** Column to PostgreSQL type; `pda` and `slot` come on top. */
  columns: Record<string, string>
  /** The columns' values; RangeError when the account holds what no column can. */
  row(data: RegistryAccounts[Name]): StateRow
}

const U64 = 'numeric(20,0)'

const projections: { [Name in keyof RegistryAccounts]: Projection<Name> } = {
  Agent: {
    account: 'Agent',
    table: 'agents',
    columns: {
      owner: 'text',
      name: 'text',
      tier: 'text',
      status: 'text',
      service_category: 'text',
      reputation_score: 'integer',
      capabilities: U64,
      version: 'text',
      agent_card_url: 'text',
      agent_card_hash: 'text',
      suspended_by_admin: 'boolean',
      reputation_change_today: 'integer',
      reputation_day_start: 'timestamptz',
      reputation_updated_at: 'timestamptz',
      tier_effective_at: 'timestamptz',
      rent_payer: 'text',
      bump: 'smallint',
      created_at: 'timestamptz',
      updated_at: 'timestamptz',
    },
    row: (agent) => ({
      owner: agent.owner,
      name: storable(agent.name),
      tier: agent.tier,
      status: agent.status,
      service_category: agent.serviceCategory,
      reputation_score: agent.reputationScore,
      capabilities: String(agent.capabilities),
      version: storable(agent.version),
      agent_card_url: storable(agent.agentCardUrl),
      agent_card_hash: hex(agent.agentCardHash),
      suspended_by_admin: agent.suspendedByAdmin,
      reputation_change_today: agent.reputationChangeToday,
      reputation_day_start: isoFromSeconds(agent.reputationDayStart),
      reputation_updated_at: isoFromSeconds(agent.reputationUpdatedAt),
      tier_effective_at: isoFromSeconds(agent.tierEffectiveAt),
      rent_payer: agent.rentPayer,
      bump: agent.bump,
      created_at: isoFromSeconds(agent.createdAt),
      updated_at: isoFromSeconds(agent.updatedAt),
    }),
  },
  Stake: {
    account: 'Stake',
    table: 'stakes',
    columns: {
      agent_pda: 'text',
      owner: 'text',
      deposited_amount: U64,
      locked_amount: U64,
      pending_withdrawal: U64,
      rent_payer: 'text',
      bump: 'smallint',
    },
    row: (stake) => ({
      agent_pda: stake.agent,
      owner: stake.owner,
      deposited_amount: String(stake.depositedAmount),
      locked_amount: String(stake.lockedAmount),
      pending_withdrawal: String(stake.pendingWithdrawal),
      rent_payer: stake.rentPayer,
      bump: stake.bump,
    }),
  },
  RegistryConfig: {
    account: 'RegistryConfig',
    table: 'registry_config',
    columns: {
      admin: 'text',
      usdc_mint: 'text',
      treasury: 'text',
      tier_thresholds: `${U64}[]`,
      cooldown_seconds: 'bigint',
      paused: 'boolean',
      bump: 'smallint',
    },
    row: (config) => ({
      admin: config.admin,
      usdc_mint: config.usdcMint,
      treasury: config.treasury,
      tier_thresholds: config.tierThresholds.map(String),
      cooldown_seconds: Number(config.cooldownSeconds),
      paused: config.paused,
      bump: config.bump,
    }),
  },
  WithdrawalRequest: {
    account: 'WithdrawalRequest',
    table: 'withdrawal_requests',
    columns: { stake_pda: 'text', amount: U64, requested_at: 'timestamptz', bump: 'smallint' },
    row: (request) => ({
      stake_pda: request.stake,
      amount: String(request.amount),
      requested_at: isoFromSeconds(request.requestedAt),
      bump: request.bump,
    }),
  },
  ReputationReporter: {
    account: 'ReputationReporter',
    table: 'reputation_reporters',
    columns: {
      authority: 'text',
      registered_by: 'text',
      label: 'text',
      weight: 'smallint',
      total_reports: U64,
      active: 'boolean',
      bump: 'smallint',
    },
    row: (reporter) => ({
      authority: reporter.authority,
      registered_by: reporter.registeredBy,
      label: storable(reporter.label),
      weight: reporter.weight,
      total_reports: String(reporter.totalReports),
      active: reporter.active,
      bump: reporter.bump,
    }),
  },
  DeactivationRecord: {
    account: 'DeactivationRecord',
    table: 'deactivation_records',
    columns: { owner: 'text', deactivated_at: 'timestamptz', final_reputation: 'integer', bump: 'smallint' },
    row: (record) => ({
      owner: record.owner,
      deactivated_at: isoFromSeconds(record.deactivatedAt),
      final_reputation: record.finalReputation,
      bump: record.bump,
    }),
  },
}

/** How each account type of the registry becomes a row of its table. */
export const PROJECTIONS: readonly Projection[] = Object.values(projections)

export function projectionOf(account: RegistryAccount): Projection {
  return projections[account.name]
}
