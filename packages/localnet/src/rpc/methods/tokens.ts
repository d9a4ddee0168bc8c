import { type Pubkey, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '@agent-registry/solana'
import type { LedgerView } from '../../bank/ledger-view.ts'
import { decodeMint, decodeTokenAccount, decodeTokenBalance, uiTokenAmount } from '../../vm/token-accounts.ts'
import { accountEncoder } from '../account-encoding.ts'
import { configuredView, type RpcMethods, withContext } from '../method.ts'
import { asConfig, asPubkey, type Config } from '../params.ts'
import { invalidParams } from '../rpc-error.ts'

export const tokenMethods: RpcMethods = {
  getTokenAccountBalance: (ledger, params) => {
    const key = params.required(0, 'pubkey', asPubkey)
    const view = configuredView(ledger, params.config(1))
    const account = view.account(key)
    if (account === null) throw invalidParams('Invalid param: could not find account')
    const token = decodeTokenBalance(account, view.account)
    if (token === null) throw invalidParams('Invalid param: not a Token account')
    return withContext(view, uiTokenAmount(token.amount, token.decimals))
  },
  getTokenAccountsByOwner: (ledger, params) => {
    const owner = params.required(0, 'owner', asPubkey)
    const config = params.config(2)
    const encode = accountEncoder(config)
    const view = configuredView(ledger, config)
    const matches = tokenFilter(view, params.required(1, 'filter', asConfig))
    const found: unknown[] = []
    for (const program of [TOKEN_PROGRAM, TOKEN_2022_PROGRAM]) {
      for (const [pubkey, account] of view.programAccounts(program)) {
        const token = decodeTokenAccount(account)
        if (token?.owner !== owner || !matches(program, token.mint)) continue
        found.push({ pubkey, account: encode(account, view.account) })
      }
    }
    return withContext(view, found)
  },
}

function tokenFilter(view: LedgerView, filter: Config): (program: Pubkey, mint: Pubkey) => boolean {
  const mint = filter.optional('mint', asPubkey)
  if (mint !== undefined) {
    if (decodeMint(view.account(mint)) === null) throw invalidParams('Invalid param: could not find mint')
    return (_, each) => each === mint
  }
  const programId = asPubkey(filter.value('programId'), 'mint or programId')
  if (programId !== TOKEN_PROGRAM && programId !== TOKEN_2022_PROGRAM)
    throw invalidParams('Invalid param: unrecognized Token program id')
  return (program) => program === programId
}
