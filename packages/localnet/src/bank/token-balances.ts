import type { Pubkey } from '@agent-registry/solana'
import type { Account, AccountReader } from '../vm/account.ts'
import { decodeTokenBalance, type UiTokenAmount, uiTokenAmount } from '../vm/token-accounts.ts'

export interface TokenBalance {
  readonly accountIndex: number
  readonly mint: Pubkey
  readonly owner: Pubkey
  readonly programId: Pubkey
  readonly uiTokenAmount: UiTokenAmount
}

/** The token accounts among the accounts of a transaction, in the shape of `preTokenBalances`. */
export function tokenBalances(accounts: readonly (Account | null)[], read: AccountReader): TokenBalance[] {
  return accounts.flatMap((account, accountIndex) => {
    const token = decodeTokenBalance(account, read)
    if (account === null || token === null) return []
    const { mint, owner, amount, decimals } = token
    const programId = account.owner
    return [{ accountIndex, mint, owner, programId, uiTokenAmount: uiTokenAmount(amount, decimals) }]
  })
}
