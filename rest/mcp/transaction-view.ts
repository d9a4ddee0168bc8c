import type { output } from 'zod'
import type { PreparedTransaction } from '../../src/relay/prepared-transaction.ts'
import type { TransactionRecord } from '../../src/relay/record.ts'
import type { prepared, transaction } from './shapes.ts'

/** The fields of a prepared transaction that tools return. */
export function preparedView(view: PreparedTransaction): output<typeof prepared> {
  const { id, serializedTx, blockhash, lastValidBlockHeight } = view
  const { estimatedComputeUnits, priorityFee, feePayer } = view
  return {
    id,
    serializedTx,
    blockhash,
    lastValidBlockHeight,
    estimatedComputeUnits,
    priorityFee,
    feePayer,
  }
}

/** The fields of a sent transaction that tools return. */
export function transactionView(record: TransactionRecord): output<typeof transaction> {
  const { id, status, signature, slot, error } = record
  if (error === null) return { id, status, signature, slot, error }
  const { code, message, logs } = error
  return {
    id,
    status,
    signature,
    slot,
    error: { code, message, ...(logs === undefined ? {} : { logs: [...logs] }) },
  }
}
