import { parseTransaction } from '@agent-registry/solana'
import type { Clock } from '../platform/clock.ts'
import type { TransactionUpdates } from './transaction-updates.ts'
import type { TransactionRow } from './record.ts'
import { send } from './send.ts'
import type { RelayTiming } from './timing.ts'
import type { TransactionChange, TransactionStore } from './transaction-store.ts'
import { onSendOutcome } from './transitions.ts'
import type { LedgerCalls } from '../ledger/rpc/ledger-rpc.ts'

export interface DispatchDependencies {
  readonly rpc: LedgerCalls
  readonly clock: Clock
  readonly store: TransactionStore
  readonly changes: TransactionUpdates
  readonly timing: RelayTiming
  readonly registryProgram: string
}

/** Sends a stored transaction, and stores what the node said. `change` is written along. */
export async function dispatch(
  row: TransactionRow,
  dependencies: DispatchDependencies,
  change: TransactionChange = {},
): Promise<void> {
  const { rpc, clock, store, changes, timing, registryProgram } = dependencies
  const signedTx = row.signed_tx ?? ''
  const { message } = parseTransaction(Buffer.from(signedTx, 'base64'))
  const outcome = await send(rpc, { signedTx, message, registryProgram, preflight: !row.accepted })
  const now = clock.now()
  await store.update(row, {
    ...change,
    ...onSendOutcome(row, outcome, new Date(now).toISOString()),
    next_check_at: new Date(now + timing.pollMs).toISOString(),
  })
  changes.notify(row.id)
}
