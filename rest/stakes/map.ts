import type { ListStakesQuery, StakeFieldsFragment } from '../generated/graphql.ts'

export function toStake(stake: StakeFieldsFragment) {
  return {
    ...stake,
    deposited_amount: BigInt(stake.deposited_amount),
    locked_amount: BigInt(stake.locked_amount),
    pending_withdrawal: BigInt(stake.pending_withdrawal),
  }
}

export function toStakeList({ stakes: page }: ListStakesQuery) {
  return { ...page, stakes: page.stakes.map(toStake) }
}
