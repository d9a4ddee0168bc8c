import { configuredView, type RpcMethods, withContext } from '../method.ts'

const LARGEST_ACCOUNTS = 20

/** Methods that read all accounts. They show the last finished block at every commitment. */
export const supplyMethods: RpcMethods = {
  getSupply: (ledger, params) => {
    const total = ledger.store.accounts.totalLamports()
    const supply = { total, circulating: total, nonCirculating: 0, nonCirculatingAccounts: [] }
    return withContext(configuredView(ledger, params.config(0)), supply)
  },
  getLargestAccounts: (ledger, params) => {
    const config = params.config(0)
    const filter = config.choice('filter', ['circulating', 'nonCirculating'])
    const largest = filter === 'nonCirculating' ? [] : ledger.store.accounts.largest(LARGEST_ACCOUNTS)
    return withContext(configuredView(ledger, config), largest)
  },
}
