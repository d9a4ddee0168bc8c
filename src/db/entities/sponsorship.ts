import { defineEntity, p } from '@mikro-orm/core'
import { key, timestamp } from './columns.ts'
import { InviteCode } from './invite-code.ts'
import type { SponsorshipKind, SponsorshipState } from '../../domain/sponsorship.ts'

const partial = (name: string, columns: string, where: string, unique = '') => ({
  name,
  expression: `create ${unique}index ${name} on sponsorships (${columns}) where ${where}`,
})

const SponsorshipSchema = defineEntity({
  name: 'Sponsorship',
  tableName: 'sponsorships',
  properties: {
    id: key().primary(),
    kind: p.text().$type<SponsorshipKind>(),
    wallet: key(),
    agentPda: key().nullable(),
    code: () => p.manyToOne(InviteCode).fieldName('code_hash').deleteRule('no action').nullable(),
    clientNetwork: key().nullable(),
    state: p.text().$type<SponsorshipState>().default('reserved'),
    reservedLamports: p.bigint('number'),
    rentLamports: p.bigint('number').nullable(),
    spentLamports: p.bigint('number').nullable(),
    signature: key().nullable(),
    createdAt: timestamp().defaultRaw('clock_timestamp()'),
    updatedAt: timestamp().defaultRaw('clock_timestamp()'),
  },
  indexes: [
    partial(
      'sponsorships_one_per_wallet',
      'wallet',
      "kind = 'registration' and state in ('submitted', 'confirmed')",
      'unique ',
    ),
    partial(
      'sponsorships_prepared_registrations',
      'wallet, client_network',
      "kind = 'registration' and state = 'reserved'",
    ),
    partial('sponsorships_code', 'code_hash', "state in ('reserved', 'submitted', 'confirmed')"),
    partial('sponsorships_open', 'created_at', "state in ('reserved', 'submitted')"),
    partial('sponsorships_day', 'created_at', "state <> 'released'"),
    partial(
      'sponsorships_network',
      'client_network, created_at',
      "kind = 'registration' and state <> 'released'",
    ),
    partial('sponsorships_wallet_day', 'wallet, created_at', "kind = 'transaction' and state <> 'released'"),
    partial(
      'sponsorships_unread_spend',
      'updated_at',
      "state in ('confirmed', 'failed') and spent_lamports is null",
    ),
  ],
  checks: [
    { name: 'sponsorships_kind', expression: "kind in ('registration', 'transaction')" },
    {
      name: 'sponsorships_state',
      expression: "state in ('reserved', 'submitted', 'confirmed', 'failed', 'released')",
    },
    {
      name: 'sponsorships_registration',
      expression: "(kind = 'registration') = (code_hash is not null)",
    },
  ],
})

/** What the service paid, or may have to pay, for one transaction. */
export class Sponsorship extends SponsorshipSchema.class {}

SponsorshipSchema.setClass(Sponsorship)
