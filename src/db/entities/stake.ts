import { defineEntity, p } from '@mikro-orm/core'
import { key, u64 } from './columns.ts'

const StakeSchema = defineEntity({
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
    slot: p.bigint('number'),
  },
  indexes: [{ name: 'stakes_owner', properties: ['owner'] }],
  uniques: [{ name: 'stakes_agent', properties: ['agentPda'] }],
})

/** One agent's stake; amounts in USDC base units. */
export class Stake extends StakeSchema.class {}

StakeSchema.setClass(Stake)
