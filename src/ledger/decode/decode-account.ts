import { decodeAccount, type RegistryAccount, type RegistryAccounts } from '@agent-registry/program'
import type { DeadLetterKind } from '../../domain/dead-letters.ts'
import { deadLetter, type DeadLetterRow } from './rows.ts'
import type { Insertable } from 'kysely'
import type { Database } from '../../db/database.ts'
import { hex, isoFromSeconds, databaseText } from './values.ts'

/** An account of `getMultipleAccounts`. */
export interface RpcAccount {
  owner: string
  data: [base64: string, encoding: 'base64']
}

/** Accounts as they were at one slot. */
export interface AccountSnapshot {
  slot: number
  rows: Map<AccountTable, AccountRow[]>
  closed: { pda: string; slot: number }[]
  /** Accounts that could not be decoded. */
  deadLetters: DeadLetterRow[]
}

export const emptySnapshot = (slot: number): AccountSnapshot => ({
  slot,
  rows: new Map(),
  closed: [],
  deadLetters: [],
})

/** Every account of the snapshot, also those that could not be decoded. */
export function pdasOf({ rows, closed, deadLetters }: AccountSnapshot): string[] {
  const open = [...rows.values()].flatMap((each) => each.map(({ pda }) => pda))
  return [...open, ...closed.map(({ pda }) => pda), ...deadLetters.flatMap(({ pda }) => pda ?? [])]
}

/**
 * Adds one account. It counts as closed if the program does not own it or has never written to it.
 * If it cannot be decoded, it becomes a dead letter and its stored row stays.
 */
export function addAccount(
  snapshot: AccountSnapshot,
  pda: string,
  account: RpcAccount | null,
  programId: string,
): void {
  const { slot } = snapshot
  const bytes = Buffer.from(account?.data[0] ?? '', 'base64')
  if (account === null || account.owner !== programId || isBlank(bytes)) {
    snapshot.closed.push({ pda, slot })
    return
  }
  const addDeadLetter = (kind: DeadLetterKind, reason: string): void => {
    snapshot.deadLetters.push(deadLetter(kind, pda, { pda, slot, reason, data: account.data[0] }))
  }
  try {
    const decoded = decodeAccount(bytes)
    if (decoded === null) return addDeadLetter('unknown_account', 'no account has this discriminator')
    const { table, columns } = toColumns(decoded)
    const rows = snapshot.rows.get(table) ?? []
    snapshot.rows.set(table, rows)
    rows.push({ pda, slot, ...columns })
  } catch (error) {
    addDeadLetter('undecodable_account', error instanceof Error ? error.message : String(error))
  }
}

/** Anyone may create an account that the program owns; only the program can write to it. */
function isBlank(data: Buffer): boolean {
  return data.every((byte) => byte === 0)
}

const TABLES = {
  Agent: 'agents',
  Stake: 'stakes',
  RegistryConfig: 'registry_config',
  WithdrawalRequest: 'withdrawal_requests',
  ReputationReporter: 'reputation_reporters',
  DeactivationRecord: 'deactivation_records',
} as const satisfies Record<keyof RegistryAccounts, keyof Database>

type AccountName = keyof typeof TABLES
export type AccountTable = (typeof TABLES)[AccountName]
/** Numeric columns as text, times as ISO text. */
export type AccountRow = { pda: string; slot: number } & Record<string, unknown>

/** One table per account type of the registry. */
export const ACCOUNT_TABLES: readonly AccountTable[] = Object.values(TABLES)

type Columns<Name extends AccountName> = Omit<
  Insertable<Database[(typeof TABLES)[Name]]>,
  'pda' | 'slot' | 'card_hash_mismatch'
>

/** Throws RangeError if an account contains a value that no column can hold. */
const columns: { [Name in AccountName]: (data: RegistryAccounts[Name]) => Columns<Name> } = {
  Agent: (agent) => ({
    owner: agent.owner,
    name: databaseText(agent.name),
    tier: agent.tier,
    status: agent.status,
    service_category: agent.serviceCategory,
    reputation_score: agent.reputationScore,
    capabilities: String(agent.capabilities),
    version: databaseText(agent.version),
    agent_card_url: databaseText(agent.agentCardUrl),
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
  Stake: (stake) => ({
    agent_pda: stake.agent,
    owner: stake.owner,
    deposited_amount: String(stake.depositedAmount),
    locked_amount: String(stake.lockedAmount),
    pending_withdrawal: String(stake.pendingWithdrawal),
    rent_payer: stake.rentPayer,
    bump: stake.bump,
  }),
  RegistryConfig: (config) => ({
    admin: config.admin,
    usdc_mint: config.usdcMint,
    treasury: config.treasury,
    tier_thresholds: config.tierThresholds.map(String),
    cooldown_seconds: Number(config.cooldownSeconds),
    paused: config.paused,
    bump: config.bump,
  }),
  WithdrawalRequest: (request) => ({
    stake_pda: request.stake,
    amount: String(request.amount),
    requested_at: isoFromSeconds(request.requestedAt),
    bump: request.bump,
  }),
  ReputationReporter: (reporter) => ({
    authority: reporter.authority,
    registered_by: reporter.registeredBy,
    label: databaseText(reporter.label),
    weight: reporter.weight,
    total_reports: String(reporter.totalReports),
    active: reporter.active,
    bump: reporter.bump,
  }),
  DeactivationRecord: (record) => ({
    owner: record.owner,
    deactivated_at: isoFromSeconds(record.deactivatedAt),
    final_reputation: record.finalReputation,
    bump: record.bump,
  }),
}

/** The table of an account and its columns, without `pda` and `slot`. */
function toColumns({ name, data }: RegistryAccount): { table: AccountTable; columns: object } {
  return { table: TABLES[name], columns: columns[name](data as never) }
}
