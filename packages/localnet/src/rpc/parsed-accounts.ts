import { SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '@agent-registry/solana'
import { decodeNonceAccount } from '../bank/durable-nonce.ts'
import type { Account, AccountReader } from '../vm/account.ts'
import { decodeMint, decodeTokenBalance, uiTokenAmount } from '../vm/token-accounts.ts'

type Parsed = { readonly type: string; readonly info: object } | null

const PARSERS: Readonly<
  Record<string, readonly [string, (account: Account, read: AccountReader) => Parsed]>
> = {
  [SYSTEM_PROGRAM]: ['nonce', parseNonce],
  [TOKEN_PROGRAM]: ['spl-token', parseToken],
  [TOKEN_2022_PROGRAM]: ['spl-token-2022', parseToken],
}

/**
 * The member `data` in the encoding `jsonParsed`. Null if it is not a token account, a mint or a
 * nonce account: clients then get base-64, as for any program that a node does not know.
 */
export function parseAccount(account: Account, read: AccountReader): object | null {
  const [program, parse] = PARSERS[account.owner] ?? []
  const parsed = parse?.(account, read) ?? null
  return parsed && { program, parsed, space: account.data.length }
}

function parseNonce(account: Account): Parsed {
  const nonce = decodeNonceAccount(account)
  if (nonce === null) return null
  const feeCalculator = { lamportsPerSignature: nonce.lamportsPerSignature.toString() }
  return { type: 'initialized', info: { authority: nonce.authority, blockhash: nonce.nonce, feeCalculator } }
}

function parseToken(account: Account, read: AccountReader): Parsed {
  const token = decodeTokenBalance(account, read)
  if (token === null) return parseMint(account)
  const { mint, owner, state, nativeReserve, amount, decimals, delegate, closeAuthority } = token
  const ui = (value: bigint) => uiTokenAmount(value, decimals)
  const info = {
    mint,
    owner,
    state,
    isNative: nativeReserve !== null,
    tokenAmount: ui(amount),
    ...(nativeReserve === null ? {} : { rentExemptReserve: ui(nativeReserve) }),
    ...(delegate === null ? {} : { delegate, delegatedAmount: ui(token.delegatedAmount) }),
    ...(closeAuthority === null ? {} : { closeAuthority }),
  }
  return { type: 'account', info }
}

function parseMint(account: Account): Parsed {
  const mint = decodeMint(account)
  if (mint === null) return null
  const { mintAuthority, supply, decimals, freezeAuthority } = mint
  return {
    type: 'mint',
    info: { mintAuthority, supply: supply.toString(), decimals, isInitialized: true, freezeAuthority },
  }
}
