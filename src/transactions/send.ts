import { parseTransaction, type WireTransaction } from '@agent-registry/solana'
import { LedgerRpcError } from '../ledger/rpc/rpc-error.ts'
import type { TransactionsContext } from './context.ts'
import { explainFailure } from './explain-failure.ts'
import type { TransactionChange, TransactionRow } from './transaction-store.ts'
import { onSendOutcome, type SendOutcome } from './transitions.ts'

const PREFLIGHT_FAILURE = -32_002

/** Sends a stored transaction and stores the outcome, together with `change`. */
export async function sendStored(
  row: TransactionRow,
  context: TransactionsContext,
  change: TransactionChange = {},
): Promise<void> {
  const { clock, store, updates, timing } = context
  const outcome = await send(row, context)
  const now = clock.now()
  await store.update(row, {
    ...change,
    ...onSendOutcome(row, outcome, new Date(now).toISOString()),
    nextCheckAt: new Date(now + timing.pollMs).toISOString(),
  })
  updates.notify(row.id)
}

async function send(
  { signedTx: stored, accepted }: TransactionRow,
  context: TransactionsContext,
): Promise<SendOutcome> {
  const signedTx = stored ?? ''
  const transaction = parseTransaction(Buffer.from(signedTx, 'base64'))
  const config = {
    encoding: 'base64',
    // Equal to the blockhash's commitment. The default, finalized, would not know the blockhash.
    preflightCommitment: 'confirmed',
    skipPreflight: accepted,
    maxRetries: 0,
  }
  try {
    await context.rpc.call('sendTransaction', [signedTx, config])
    return { kind: 'accepted' }
  } catch (error) {
    if (!(error instanceof LedgerRpcError)) throw error
    const isPreflight = error.kind === 'rpc' && error.code === PREFLIGHT_FAILURE
    return isPreflight ? await preflightOutcome(error, transaction, context) : { kind: 'unknown' }
  }
}

async function preflightOutcome(
  { data }: LedgerRpcError,
  transaction: WireTransaction,
  context: TransactionsContext,
): Promise<SendOutcome> {
  const { err, logs } = (data ?? {}) as { err?: unknown; logs?: string[] | null }
  if (err === 'AlreadyProcessed') return { kind: 'accepted' }
  if (err === 'BlockhashNotFound') return { kind: 'too_early' }
  if (err === undefined || err === null) return { kind: 'unknown' }
  const failure = { err, logs: logs ?? [] }
  const message = await explainFailure(failure, transaction.messageBytes, context)
  return { kind: 'refused', failure: { code: 'simulation_failed', message, logs: failure.logs } }
}
