import { defineEntity, p } from '@mikro-orm/core'
import type { SponsorshipKind, SponsorshipState } from '../../domain/sponsorship.ts'
import { int8, key, timestamp, timestampNow } from './columns.ts'

/** A code with which its holder registers agents at the service's cost. */
export const InviteCode = defineEntity({
  name: 'InviteCode',
  tableName: 'invite_codes',
  properties: {
    /** Hex SHA-256 of the code. The code itself is not stored. */
    hash: key().primary(),
    maxUses: p.integer(),
    expiresAt: timestamp().strictNullable(),
    revokedAt: timestamp().strictNullable(),
    createdAt: timestampNow(),
  },
  checks: [{ name: 'invite_codes_max_uses', expression: 'max_uses > 0' }],
})

const timestampOfWrite = () => timestamp().defaultRaw('clock_timestamp()')

/** A transaction that the fee payer signed, and what it cost or may cost. */
export const Sponsorship = defineEntity({
  name: 'Sponsorship',
  tableName: 'sponsorships',
  properties: {
    /** The id of the prepared transaction. */
    id: key().primary(),
    kind: p.text().$type<SponsorshipKind>(),
    wallet: key(),
    /** Only for registrations. */
    agentPda: key().strictNullable(),
    code: () => p.manyToOne(InviteCode).fieldName('code_hash').deleteRule('no action').strictNullable(),
    /** IPv4 address or IPv6 /64 network. Deleted when it is no longer needed. */
    clientNetwork: key().strictNullable(),
    state: p.text().$type<SponsorshipState>(),
    /** The highest possible cost. */
    reservedLamports: int8(),
    /** The part that becomes the rent of the agent's account, refunded when it is closed. */
    rentLamports: int8().strictNullable(),
    /** The actual cost, read from the ledger. */
    spentLamports: int8().strictNullable(),
    /** Base-58. */
    signature: key().strictNullable(),
    createdAt: timestampOfWrite(),
    updatedAt: timestampOfWrite(),
  },
  indexes: [
    { name: 'sponsorships_code', properties: ['code'], where: "state <> 'released'" },
    { name: 'sponsorships_open', properties: ['createdAt'], where: "state = 'submitted'" },
    { name: 'sponsorships_day', properties: ['createdAt'], where: "state <> 'released'" },
    {
      name: 'sponsorships_network',
      properties: ['clientNetwork', 'kind', 'createdAt'],
      where: "state <> 'released'",
    },
    {
      name: 'sponsorships_wallet_day',
      properties: ['wallet', 'createdAt'],
      where: "kind = 'transaction' and state <> 'released'",
    },
    {
      name: 'sponsorships_unknown_cost',
      properties: ['updatedAt'],
      where: "state in ('confirmed', 'failed') and spent_lamports is null",
    },
  ],
  uniques: [
    {
      name: 'sponsorships_one_per_wallet',
      properties: ['wallet'],
      where: "kind = 'registration' and state in ('submitted', 'confirmed')",
    },
  ],
  checks: [
    { name: 'sponsorships_kind', expression: "kind in ('registration', 'transaction')" },
    {
      name: 'sponsorships_state',
      expression: "state in ('submitted', 'confirmed', 'failed', 'released')",
    },
    { name: 'sponsorships_registration', expression: "(kind = 'registration') = (code_hash is not null)" },
  ],
})
