import { defineEntity, p } from '@mikro-orm/core'
import type { TransactionFailure, TransactionStatus } from '../../domain/transaction-status.ts'
import { key, timestamp } from './columns.ts'

const PreparedTransactionSchema = defineEntity({
  name: 'PreparedTransaction',
  tableName: 'prepared_transactions',
  properties: {
    id: key().primary(),
    status: p.text().$type<TransactionStatus>(),
    message: p.text(),
    lastValidBlockHeight: p.bigint('number'),
    signedTx: p.text().nullable(),
    signature: key().nullable(),
    sentAt: timestamp().nullable(),
    accepted: p.boolean().default(false),
    slot: p.bigint('number').nullable(),
    landed: p.boolean().default(false),
    misses: p.integer().default(0),
    error: p.json<TransactionFailure>().nullable(),
    sponsored: p.boolean().default(false),
    settled: p.boolean().default(false),
    version: p.integer().default(1),
    nextCheckAt: timestamp(),
    createdAt: timestamp(),
  },
  indexes: [
    { name: 'prepared_transactions_signature', properties: ['signature'] },
    {
      name: 'prepared_transactions_due',
      expression:
        'create index prepared_transactions_due on prepared_transactions (next_check_at) where not settled',
    },
  ],
  checks: [{ name: 'prepared_transactions_error', expression: "(status = 'failed') = (error is not null)" }],
})

/** A transaction that the relay prepared, and what became of it. */
export class PreparedTransaction extends PreparedTransactionSchema.class {}

PreparedTransactionSchema.setClass(PreparedTransaction)
