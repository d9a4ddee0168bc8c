import { TOKEN_PROGRAM } from '@agent-registry/solana'
import type { Account, AccountReader } from '../vm/account.ts'
import { decodeMint, decodeTokenBalance, uiTokenAmount } from '../vm/token-accounts.ts'

/** A mint or a token account in the encoding `jsonParsed`, or null for other accounts. */
export function parsedTokenProgramAccount(account: Account, read: AccountReader): unknown {
  const parsed = parsedTokenAccount(account, read) ?? parsedMint(account)
  if (parsed === null) return null
  const program = account.owner === TOKEN_PROGRAM ? 'spl-token' : 'spl-token-2022'
  return { program, parsed, space: account.data.length }
}

function parsedTokenAccount(account: Account, read: AccountReader): unknown {
  const token = decodeTokenBalance(account, read)
  if (token === null) return null
  const { mint, owner, state, isNative, amount, decimals, delegate, delegatedAmount, closeAuthority } = token
  return {
    type: 'account',
    info: {
      mint,
      owner,
      state,
      isNative,
      tokenAmount: uiTokenAmount(amount, decimals),
      ...(delegate === null ? {} : { delegate, delegatedAmount: uiTokenAmount(delegatedAmount, decimals) }),
      ...(closeAuthority === null ? {} : { closeAuthority }),
    },
  }
}

function parsedMint(account: Account): unknown {
  const mint = decodeMint(account)
  if (mint === null) return null
  const { mintAuthority, supply, decimals, freezeAuthority } = mint
  return {
    type: 'mint',
    info: { mintAuthority, supply: supply.toString(), decimals, isInitialized: true, freezeAuthority },
  }
}
