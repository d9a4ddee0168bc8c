import { parseMessage, type WireTransaction } from '@agent-registry/solana'
import { feeForMessage } from '../../bank/compute-budget.ts'
import { configuredView, type RpcContext, type RpcMethod, withContext } from '../context.ts'
import type { Config } from '../params.ts'
import { minContextSlotNotReached, preflightFailure, refuseUnresolvedTables } from '../rpc-error.ts'
import { simulate } from '../simulation.ts'
import { fromBase64, parsed, transactionParam } from '../wire-params.ts'
/** Bringing transactions onto the ledger. */
export const sendingMethods: Readonly<Record<string, RpcMethod>> = {
  sendTransaction: (context, params) => {
    const text = params.text(0, 'transaction')
    const config = params.config(1)
    const transaction = transactionParam(text, config)
    config.integer('maxRetries')
    preflight(context, transaction, config)
    const submission = context.bank.submit(transaction)
    // Like a leader, the ledger drops what it cannot charge; the sender learns of it by the missing status.
    if ('refused' in submission) {
      refuseUnresolvedTables(submission.refused)
      context.logger.debug(
        { signature: transaction.signature, err: submission.refused },
        'transaction dropped',
      )
    }
    return transaction.signature
  },
  getFeeForMessage: (context, params) => {
    const bytes = fromBase64(params.text(0, 'message'))
    const message = parsed('solana_message::versions::VersionedMessage', () => parseMessage(bytes))
    const view = configuredView(context, params.config(1))
    return withContext(view, view.isBlockhashValid(message.blockhash) ? feeForMessage(message) : null)
  },
  requestAirdrop: (context, params) => {
    const to = params.pubkey(0, 'pubkey')
    const lamports = params.integer(1, 'lamports')
    params.config(2)
    return context.faucet.airdrop(to, BigInt(lamports))
  },
}

function preflight(context: RpcContext, transaction: WireTransaction, config: Config): void {
  const commitment = config.commitment('preflightCommitment')
  const skip = config.flag('skipPreflight')
  const view = context.bank.view(skip ? 'processed' : commitment)
  const minimum = config.integer('minContextSlot')
  if (minimum !== undefined && view.slot < minimum) throw minContextSlotNotReached(view.slot)
  if (skip) return
  const result = simulate(context, view, transaction, { sigVerify: true, checkAge: true })
  if (result.err !== null) throw preflightFailure(result.err, result)
}
