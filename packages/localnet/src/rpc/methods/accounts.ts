import { accountEncoder } from '../account-encoding.ts'
import { accountFilters } from '../account-filters.ts'
import { configuredView, type RpcMethods, withContext } from '../method.ts'
import { asPubkey, listOf } from '../params.ts'

export const accountMethods: RpcMethods = {
  getBalance: (ledger, params) => {
    const key = params.required(0, 'pubkey', asPubkey)
    const view = configuredView(ledger, params.config(1))
    return withContext(view, view.account(key)?.lamports ?? 0)
  },
  getAccountInfo: (ledger, params) => {
    const key = params.required(0, 'pubkey', asPubkey)
    const config = params.config(1)
    const encode = accountEncoder(config)
    const view = configuredView(ledger, config)
    const account = view.account(key)
    return withContext(view, account && encode(account, view.account))
  },
  getMultipleAccounts: (ledger, params) => {
    const keys = params.required(0, 'pubkeys', listOf(asPubkey, 100, 'pubkey'))
    const config = params.config(1)
    const encode = accountEncoder(config, 'base64')
    const view = configuredView(ledger, config)
    const accounts = keys.map((key) => {
      const account = view.account(key)
      return account && encode(account, view.account)
    })
    return withContext(view, accounts)
  },
  getProgramAccounts: (ledger, params) => {
    const program = params.required(0, 'programId', asPubkey)
    const config = params.config(1)
    const encode = accountEncoder(config)
    const matches = accountFilters(config)
    const view = configuredView(ledger, config)
    const found = [...view.programAccounts(program)]
      .filter(([, account]) => matches(account))
      .map(([pubkey, account]) => ({ pubkey, account: encode(account, view.account) }))
    return config.flag('withContext') ? withContext(view, found) : found
  },
  /** The balances of the last finished block, at every commitment. */
  getSupply: (ledger, params) => {
    const total = ledger.store.accounts.totalLamports()
    const supply = { total, circulating: total, nonCirculating: 0, nonCirculatingAccounts: [] }
    return withContext(configuredView(ledger, params.config(0)), supply)
  },
}
