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
})
