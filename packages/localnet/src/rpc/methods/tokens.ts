import { type Pubkey, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '@agent-registry/solana'
import type { Account } from '../../vm/account.ts'
import type { LedgerView } from '../../bank/ledger-view.ts'
import { decodeMint, decodeTokenAccount, type UiTokenAmount, uiTokenAmount } from '../../vm/token-accounts.ts'
import { accountEncoding, encodeAccount } from '../account-encoding.ts'
import { configuredView, type RpcMethod, withContext } from '../context.ts'
import { asPubkey, Config } from '../params.ts'
import { invalidParams } from '../rpc-error.ts'

export const tokenMethods: Readonly<Record<string, RpcMethod>> = {
  getTokenAccountBalance: (context, params) => {
    const key = params.pubkey(0, 'pubkey')
    const view = configuredView(context, params.config(1))
    return withContext(view, tokenAmount(view, view.account(key)))
  },
  getTokenSupply: (context, params) => {
    const key = params.pubkey(0, 'mint')
    const view = configuredView(context, params.config(1))
    const account = view.account(key)
    const mint = account === null ? null : decodeMint(account)
    if (mint === null) throw invalidParams('Invalid param: could not find mint')
    return withContext(view, uiTokenAmount(mint.supply, mint.decimals))
  },
  getTokenAccountsByOwner: (context, params) => {
    const owner = params.pubkey(0, 'owner')
    const config = params.config(2)
    const encoding = accountEncoding(config)
    const view = configuredView(context, config)
    const matches = tokenFilter(view, new Config(params.required(1, 'filter'), 'filter'))
    const found: unknown[] = []
    for (const program of [TOKEN_PROGRAM, TOKEN_2022_PROGRAM]) {
      for (const [pubkey, account] of view.programAccounts(program)) {
        const token = decodeTokenAccount(account)
        if (token?.owner !== owner || !matches(program, token.mint)) continue
        found.push({ pubkey, account: encodeAccount(account, encoding, (key) => view.account(key)) })
      }
    }
    return withContext(view, found)
  },
}

type TokenFilter = (program: Pubkey, mint: Pubkey) => boolean

function tokenFilter(view: LedgerView, filter: Config): TokenFilter {
  if (filter.value('mint') !== undefined) {
    const wanted = asPubkey(filter.value('mint'), 'mint')
    const account = view.account(wanted)
    if (account === null || decodeMint(account) === null)
      throw invalidParams('Invalid param: could not find mint')
    return (_, mint) => mint === wanted
  }
  const wanted = asPubkey(filter.value('programId'), 'mint or programId')
  if (wanted !== TOKEN_PROGRAM && wanted !== TOKEN_2022_PROGRAM) {
    throw invalidParams('Invalid param: unrecognized Token program id')
  }
  return (program) => program === wanted
}

function tokenAmount(view: LedgerView, account: Account | null): UiTokenAmount {
  if (account === null) throw invalidParams('Invalid param: could not find account')
  const token = decodeTokenAccount(account)
  const mint = token === null ? null : view.account(token.mint)
  const decimals = mint === null ? undefined : decodeMint(mint)?.decimals
  if (token === null || decimals === undefined) throw invalidParams('Invalid param: not a Token account')
  return uiTokenAmount(token.amount, decimals)
}
