import type { Pubkey } from '@agent-registry/solana'
import type { Account } from '../vm/account.ts'
import { decodeMint, decodeTokenAccount, type UiTokenAmount, uiTokenAmount } from '../vm/token-accounts.ts'

export interface TokenBalance {
  readonly accountIndex: number
  readonly mint: Pubkey
  readonly owner: Pubkey
  readonly programId: Pubkey
  readonly uiTokenAmount: UiTokenAmount
}

/** The token accounts among a transaction's accounts, in the shape of `preTokenBalances`. */
export function tokenBalances(
  accounts: readonly (Account | null)[],
  readMint: (key: Pubkey) => Account | null,
): TokenBalance[] {
  const balances: TokenBalance[] = []
  for (const [accountIndex, account] of accounts.entries()) {
    const token = account === null ? null : decodeTokenAccount(account)
    if (account === null || token === null) continue
    const mint = readMint(token.mint)
    const decimals = mint === null ? undefined : decodeMint(mint)?.decimals
    if (decimals === undefined) continue
    balances.push({
      accountIndex,
      mint: token.mint,
      owner: token.owner,
      programId: account.owner,
      uiTokenAmount: uiTokenAmount(token.amount, decimals),
    })
  }
  return balances
}
