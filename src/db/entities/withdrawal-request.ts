import { defineEntity, p } from '@mikro-orm/core'
import { key, timestamp, u64 } from './columns.ts'

const WithdrawalRequestSchema = defineEntity({
  name: 'WithdrawalRequest',
  tableName: 'withdrawal_requests',
  properties: {
    pda: key().primary(),
    stakePda: key(),
    amount: u64(),
    requestedAt: timestamp(),
    bump: p.smallint(),
    slot: p.bigint('number'),
  },
  indexes: [{ name: 'withdrawal_requests_stake', properties: ['stakePda'] }],
})

/** A withdrawal that waits for its cooldown; the amount in USDC base units. */
export class WithdrawalRequest extends WithdrawalRequestSchema.class {}

WithdrawalRequestSchema.setClass(WithdrawalRequest)
