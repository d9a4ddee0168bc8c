import type { Account, AccountReader } from '../vm/account.ts'
import { decodeTokenBalance, uiTokenAmount } from '../vm/token-accounts.ts'

/** The token accounts among the accounts of a transaction, in the shape of `preTokenBalances`. */
export function tokenBalances(accounts: readonly (Account | null)[], read: AccountReader) {
  return accounts.flatMap((account, accountIndex) => {
    const token = decodeTokenBalance(account, read)
    if (account === null || token === null) return []
    const { mint, owner, amount, decimals } = token
    const programId = account.owner
    return [{ accountIndex, mint, owner, programId, uiTokenAmount: uiTokenAmount(amount, decimals) }]
  })
}
