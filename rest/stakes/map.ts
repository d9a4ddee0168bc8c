import { exactInteger } from '../contract/exact-integer.ts'
import type { ListStakesQuery, StakeFieldsFragment } from '../generated/graphql.ts'

export function toStake(stake: StakeFieldsFragment) {
  return {
    ...stake,
    deposited_amount: exactInteger(stake.deposited_amount),
    locked_amount: exactInteger(stake.locked_amount),
    pending_withdrawal: exactInteger(stake.pending_withdrawal),
  }
}

export function toStakeList({ stakes: page }: ListStakesQuery) {
  return { ...page, stakes: page.stakes.map(toStake) }
}
