import type { LedgerView } from '../../bank/ledger-view.ts'
import { accountEncoding, encodeAccount } from '../account-encoding.ts'
import { accountFilters } from '../account-filters.ts'
import { configuredView, type RpcMethod, withContext } from '../context.ts'
import { asPubkey } from '../params.ts'

const reader =
  (view: LedgerView) =>
  (key: Parameters<LedgerView['account']>[0]): ReturnType<LedgerView['account']> =>
    view.account(key)

export const accountMethods: Readonly<Record<string, RpcMethod>> = {
  getBalance: (context, params) => {
    const key = params.pubkey(0, 'pubkey')
    const view = configuredView(context, params.config(1))
    return withContext(view, view.account(key)?.lamports ?? 0)
  },
  getAccountInfo: (context, params) => {
    const key = params.pubkey(0, 'pubkey')
    const config = params.config(1)
    const encoding = accountEncoding(config)
    const view = configuredView(context, config)
    const account = view.account(key)
    return withContext(view, account === null ? null : encodeAccount(account, encoding, reader(view)))
  },
  getMultipleAccounts: (context, params) => {
    const keys = params.list(0, 'pubkeys', 100).map((each) => asPubkey(each, 'pubkey'))
    const config = params.config(1)
    const encoding = accountEncoding(config, 'base64')
    const view = configuredView(context, config)
    const accounts = keys.map((key) => view.account(key))
    return withContext(
      view,
      accounts.map((account) => (account === null ? null : encodeAccount(account, encoding, reader(view)))),
    )
  },
  getProgramAccounts: (context, params) => {
    const program = params.pubkey(0, 'programId')
    const config = params.config(1)
    const encoding = accountEncoding(config)
    const matches = accountFilters(config)
    const view = configuredView(context, config)
    const found = [...view.programAccounts(program)]
      .filter(([, account]) => matches(account))
      .map(([pubkey, account]) => ({ pubkey, account: encodeAccount(account, encoding, reader(view)) }))
    return config.flag('withContext') ? withContext(view, found) : found
  },
}
