import { BLOCKHASH_LIFE } from '../../bank/block.ts'
import { feeForMessage } from '../../bank/compute-budget.ts'
import type { LedgerView } from '../../bank/ledger-view.ts'
import { tokenBalances } from '../../vm/token-accounts.ts'
import type { Account, AccountReader } from '../../vm/account.ts'
import { accountEncoder } from '../account-encoding.ts'
import { configuredView, type RpcMethod, withContext } from '../method.ts'
import { asConfig, asPubkey, asText, Config, listOf } from '../params.ts'
import { invalidParams } from '../rpc-error.ts'
import { simulate, type SimulationResult } from '../simulation.ts'
import { innerWithKeys } from '../transaction-encoding.ts'
import { decodeTransaction } from '../transaction-params.ts'

export const simulateTransaction: RpcMethod = (ledger, params) => {
  const text = params.required(0, 'transaction', asText)
  const config = params.config(1)
  const transaction = decodeTransaction(text, config)
  const [sigVerify, replace] = [config.flag('sigVerify'), config.flag('replaceRecentBlockhash')]
  if (sigVerify && replace) throw invalidParams('sigVerify may not be used with replaceRecentBlockhash')
  const view = configuredView(ledger, config)
  const accountsAfter = accountsEncoder(config)
  const result = simulate(ledger, view, transaction, { sigVerify, checkAge: !replace })
  const { err, keys, postAccounts } = result
  const { tip } = view
  const before = keys.all.map((key) => view.account(key))
  const readAfter: AccountReader = (key) => postAccounts.get(key) ?? view.account(key)
  const after = err === null ? keys.all.map(readAfter) : before
  return withContext(view, {
    accounts: accountsAfter(view, result),
    err,
    innerInstructions: config.flag('innerInstructions')
      ? innerWithKeys(result.innerInstructions, keys.all)
      : null,
    fee: err === 'BlockhashNotFound' ? null : feeForMessage(transaction.message),
    loadedAccountsDataSize: before.reduce((sum, account) => sum + (account?.data.length ?? 0), 0),
    logs: result.logs,
    loadedAddresses: keys.loaded,
    preBalances: before.map(lamportsOf),
    postBalances: after.map(lamportsOf),
    preTokenBalances: tokenBalances(before, view.account),
    postTokenBalances: tokenBalances(after, readAfter),
    replacementBlockhash: replace
      ? { blockhash: tip.blockhash, lastValidBlockHeight: tip.height + BLOCKHASH_LIFE }
      : null,
    returnData: result.returnData,
    unitsConsumed: result.computeUnitsConsumed,
  })
}

function lamportsOf(account: Account | null): bigint {
  return account?.lamports ?? 0n
}

/** Creates an encoder for the accounts that the client wants to see after the simulation. */
function accountsEncoder(config: Config): (view: LedgerView, result: SimulationResult) => unknown {
  const wanted = config.optional('accounts', asConfig)
  if (wanted === undefined) return () => null
  const encoding = wanted.choice('encoding', ['base64', 'base64+zstd', 'jsonParsed'])
  const encode = accountEncoder(new Config({ encoding }), 'base64')
  const addresses = wanted.optional('addresses', listOf(asPubkey, 64, 'address')) ?? []
  return (view, { err, keys, postAccounts }) => {
    if (addresses.length > keys.all.length)
      throw invalidParams(`Too many accounts provided; max ${keys.all.length}`)
    const read: AccountReader = (key) => postAccounts.get(key) ?? view.account(key)
    return addresses.map((key) => {
      const account = err === null ? read(key) : null
      return account === null || account.lamports === 0n ? null : encode(account, read)
    })
  }
}
