import { TOKEN_PROGRAM } from '@agent-registry/solana'
import type { Account } from '../vm/account.ts'
import { decodeMint, decodeTokenAccount, uiTokenAmount } from '../vm/token-accounts.ts'
import type { AccountReader } from './account-encoding.ts'

/** The `jsonParsed` form of mints and token accounts; null for anything else, which stays base64. */
export function parsedTokenProgramAccount(account: Account, read: AccountReader): unknown {
  const parsed = parsedTokenAccount(account, read) ?? parsedMint(account)
  if (parsed === null) return null
  const program = account.owner === TOKEN_PROGRAM ? 'spl-token' : 'spl-token-2022'
  return { program, parsed, space: account.data.length }
}

function parsedTokenAccount(account: Account, read: AccountReader): unknown {
  const token = decodeTokenAccount(account)
  const mint = token === null ? null : read(token.mint)
  const decimals = mint === null ? undefined : decodeMint(mint)?.decimals
  if (token === null || decimals === undefined) return null
  const { owner, state, isNative, delegate, delegatedAmount, closeAuthority } = token
  return {
    type: 'account',
    info: {
      mint: token.mint,
      owner,
      state,
      isNative,
      tokenAmount: uiTokenAmount(token.amount, decimals),
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
