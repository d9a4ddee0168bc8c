import { BLOCKHASH_LIFE } from '../../bank/block.ts'
import type { LedgerView } from '../../bank/ledger-view.ts'
import type { Account } from '../../vm/account.ts'
import { encodeAccount } from '../account-encoding.ts'
import { configuredView, type RpcMethod, withContext } from '../context.ts'
import { asList, asPubkey, type Config } from '../params.ts'
import { invalidParams } from '../rpc-error.ts'
import { simulate, type SimulationResult } from '../simulation.ts'
import { transactionParam } from '../wire-params.ts'

export const simulateTransaction: RpcMethod = (context, params) => {
  const text = params.text(0, 'transaction')
  const config = params.config(1)
  const transaction = transactionParam(text, config)
  const [sigVerify, replace] = [config.flag('sigVerify'), config.flag('replaceRecentBlockhash')]
  if (sigVerify && replace) throw invalidParams('sigVerify may not be used with replaceRecentBlockhash')
  const view = configuredView(context, config)
  const wanted = wantedAccounts(config)
  const result = simulate(context, view, transaction, { sigVerify, checkAge: !replace })
  const { tip } = view
  const preBalances = result.keys.all.map((key) => view.account(key)?.lamports ?? 0n)
  return withContext(view, {
    accounts: wanted === null ? null : wanted(view, result),
    err: result.err,
    innerInstructions: config.flag('innerInstructions') ? result.innerInstructions : null,
    loadedAccountsDataSize: result.keys.all.reduce(
      (sum, key) => sum + (view.account(key)?.data.length ?? 0),
      0,
    ),
    logs: result.logs,
    preBalances,
    postBalances: result.keys.all.map(
      (key, i) =>
        (result.err === null ? result.postAccounts.get(key)?.lamports : undefined) ?? preBalances[i],
    ),
    replacementBlockhash: replace
      ? { blockhash: tip.blockhash, lastValidBlockHeight: tip.height + BLOCKHASH_LIFE }
      : null,
    returnData: result.returnData,
    unitsConsumed: result.computeUnitsConsumed,
  })
}

type AccountsAfter = (view: LedgerView, result: SimulationResult) => unknown

function wantedAccounts(config: Config): AccountsAfter | null {
  const wanted = config.config('accounts')
  if (wanted === undefined) return null
  const encoding = wanted.choice('encoding', ['base64', 'base64+zstd', 'jsonParsed']) ?? 'base64'
  const addresses = asList(wanted.value('addresses') ?? [], 'addresses', 64).map((each) =>
    asPubkey(each, 'address'),
  )
  return (view, { err, keys, postAccounts }) => {
    if (addresses.length > keys.all.length)
      throw invalidParams('Too many accounts provided; max ' + keys.all.length)
    const read = (key: (typeof addresses)[number]): Account | null =>
      postAccounts.get(key) ?? view.account(key)
    return addresses.map((key) => {
      const account = err === null ? read(key) : null
      return account === null || account.lamports === 0n
        ? null
        : encodeAccount(account, { encoding, slice: undefined }, read)
    })
  }
}
