import { parseMessage, type WireTransaction } from '@agent-registry/solana'
import { feeForMessage } from '../../bank/compute-budget.ts'
import type { Ledger } from '../../ledger.ts'
import { configuredView, type RpcMethods, withContext } from '../method.ts'
import { asInteger, asPubkey, asText, type Config } from '../params.ts'
import { preflightFailure, refuseUnresolvedTables } from '../rpc-error.ts'
import { simulate } from '../simulation.ts'
import { decodeTransaction, fromBase64, parsed } from '../transaction-params.ts'

/** Methods that send transactions. */
export const sendingMethods: RpcMethods = {
  sendTransaction: (ledger, params) => {
    const text = params.required(0, 'transaction', asText)
    const config = params.config(1)
    const transaction = decodeTransaction(text, config)
    // This ledger never retries, so the value is only checked.
    config.integer('maxRetries')
    preflight(ledger, transaction, config)
    const submission = ledger.bank.submit(transaction)
    if ('refused' in submission) {
      const { refused } = submission
      refuseUnresolvedTables(refused)
      // A leader drops such a transaction. The sender only sees that it has no status.
      ledger.logger.debug({ signature: transaction.signature, err: refused }, 'transaction dropped')
    }
    return transaction.signature
  },
  getFeeForMessage: (ledger, params) => {
    const bytes = fromBase64(params.required(0, 'message', asText))
    const message = parsed('solana_message::versions::VersionedMessage', () => parseMessage(bytes))
    const view = configuredView(ledger, params.config(1))
    return withContext(view, view.isAgeValid(message) ? feeForMessage(message) : null)
  },
  requestAirdrop: (ledger, params) => {
    const to = params.required(0, 'pubkey', asPubkey)
    const lamports = params.required(1, 'lamports', asInteger)
    // The configuration has no effect here, so it is only checked.
    params.config(2)
    return ledger.faucet.airdrop(to, BigInt(lamports))
  },
}

function preflight(ledger: Ledger, transaction: WireTransaction, config: Config): void {
  const commitment = config.commitment('preflightCommitment')
  const isSkipped = config.flag('skipPreflight')
  const view = configuredView(ledger, config, isSkipped ? 'processed' : commitment)
  if (isSkipped) return
  const result = simulate(ledger, view, transaction, { sigVerify: true, checkAge: true })
  if (result.err !== null) throw preflightFailure(result.err, result)
}
