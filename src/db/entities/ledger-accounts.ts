import { defineEntity, p } from '@mikro-orm/core'
import { int8, key, timestamp, transactionId, u64 } from './columns.ts'

// `slot` is the slot at which an account was read. An older read never replaces a newer one.
// Amounts are USDC base units (6 decimals).

export const Stake = defineEntity({
  name: 'Stake',
  tableName: 'stakes',
  properties: {
    pda: key().primary(),
    agentPda: key(),
    owner: key(),
    depositedAmount: u64(),
    lockedAmount: u64(),
    pendingWithdrawal: u64(),
    rentPayer: key(),
    bump: p.smallint(),
    slot: int8(),
    /** The transaction that last changed the row, for copies in memory. Set by triggers. */
    searchXid: transactionId().nullable(),
  },
})

/** Stakes that were deleted, for copies in memory. Triggers of `stakes` write it. */
export const RemovedStake = defineEntity({
  name: 'RemovedStake',
  tableName: 'removed_stakes',
  properties: {
    pda: key().primary(),
    searchXid: transactionId(),
  },
})

/** The sums of all stakes: one row. Triggers of `stakes` update it. */
export const StakeTotals = defineEntity({
  name: 'StakeTotals',
  tableName: 'stake_totals',
  properties: {
    id: p.smallint().autoincrement(false).default(1).primary(),
    count: int8(),
    depositedAmount: p.text().columnType('numeric'),
    lockedAmount: p.text().columnType('numeric'),
    pendingWithdrawal: p.text().columnType('numeric'),
  },
})

/** The registry's settings: one row. */
export const RegistryConfig = defineEntity({
  name: 'RegistryConfig',
  tableName: 'registry_config',
  properties: {
    pda: key().primary(),
    admin: key(),
    usdcMint: key(),
    treasury: key(),
    /** Minimum stakes for observer, basic, standard and premium. */
    tierThresholds: p.array().columnType('numeric(20,0)[]'),
    cooldownSeconds: int8(),
    paused: p.boolean(),
    bump: p.smallint(),
    slot: int8(),
  },
})

/** A withdrawal that waits for its cooldown. */
export const WithdrawalRequest = defineEntity({
  name: 'WithdrawalRequest',
  tableName: 'withdrawal_requests',
  properties: {
    pda: key().primary(),
    stakePda: key(),
    amount: u64(),
    requestedAt: timestamp(),
    bump: p.smallint(),
    slot: int8(),
  },
})

/** A key that may report the behaviour of agents. */
export const ReputationReporter = defineEntity({
  name: 'ReputationReporter',
  tableName: 'reputation_reporters',
  properties: {
    pda: key().primary(),
    authority: key(),
    registeredBy: key(),
    label: p.text(),
    weight: p.smallint(),
    totalReports: u64(),
    active: p.boolean(),
    bump: p.smallint(),
    slot: int8(),
  },
})

/** Keeps the reputation of a deactivated agent for its owner. */
export const DeactivationRecord = defineEntity({
  name: 'DeactivationRecord',
  tableName: 'deactivation_records',
  properties: {
    pda: key().primary(),
    owner: key(),
    deactivatedAt: timestamp(),
    finalReputation: p.integer(),
    bump: p.smallint(),
    slot: int8(),
  },
})

/** An account that was closed at a slot. A read of an earlier slot must not restore it. */
export const ClosedAccount = defineEntity({
  name: 'ClosedAccount',
  tableName: 'closed_accounts',
  properties: { pda: key().primary(), slot: int8() },
})
