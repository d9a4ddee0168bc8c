import { type Pubkey, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '@agent-registry/solana'
import type { LedgerView } from '../../bank/ledger-view.ts'
import type { Ledger } from '../../ledger.ts'
import { decodeMint, decodeTokenAccount, decodeTokenBalance, uiTokenAmount } from '../../vm/token-accounts.ts'
import { accountEncoder } from '../account-encoding.ts'
import { configuredView, type RpcMethods, withContext } from '../method.ts'
import { asConfig, asPubkey, type Config, type Params } from '../params.ts'
import { invalidParams } from '../rpc-error.ts'

const LARGEST_ACCOUNTS = 20

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
  getTokenSupply: (ledger, params) => {
    const key = params.required(0, 'mint', asPubkey)
    const view = configuredView(ledger, params.config(1))
    const mint = decodeMint(view.account(key))
    if (mint === null) throw invalidParams('Invalid param: could not find mint')
    return withContext(view, uiTokenAmount(mint.supply, mint.decimals))
  },
  getTokenLargestAccounts: (ledger, params) => {
    const key = params.required(0, 'mint', asPubkey)
    const view = configuredView(ledger, params.config(1))
    const account = view.account(key)
    if (account === null) throw invalidParams('Invalid param: could not find mint')
    const mint = decodeMint(account)
    if (mint === null) throw invalidParams('Invalid param: not a Token mint')
    const balances = [...view.programAccounts(account.owner)].flatMap(([address, each]) => {
      const token = decodeTokenAccount(each)
      return token?.mint === key ? [{ address, amount: token.amount }] : []
    })
    const largest = balances.toSorted((a, b) => Number(b.amount - a.amount)).slice(0, LARGEST_ACCOUNTS)
    const shown = largest.map(({ address, amount }) =>
      Object.assign(uiTokenAmount(amount, mint.decimals), { address }),
    )
    return withContext(view, shown)
  },
  getTokenAccountsByOwner: (ledger, params) => tokenAccountsBy('owner', ledger, params),
  getTokenAccountsByDelegate: (ledger, params) => tokenAccountsBy('delegate', ledger, params),
}

function tokenAccountsBy(role: 'owner' | 'delegate', ledger: Ledger, params: Params): unknown {
  const wanted = params.required(0, role, asPubkey)
  const config = params.config(2)
  const encode = accountEncoder(config)
  const view = configuredView(ledger, config)
  const matches = tokenFilter(view, params.required(1, 'filter', asConfig))
  const found: unknown[] = []
  for (const program of [TOKEN_PROGRAM, TOKEN_2022_PROGRAM]) {
    for (const [pubkey, account] of view.programAccounts(program)) {
      const token = decodeTokenAccount(account)
      if (token?.[role] !== wanted || !matches(program, token.mint)) continue
      found.push({ pubkey, account: encode(pubkey, account, view.account) })
    }
  }
  return withContext(view, found)
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
