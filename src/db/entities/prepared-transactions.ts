import { defineEntity, p } from '@mikro-orm/core'
import type { TransactionFailure, TransactionStatus } from '../../domain/transaction-status.ts'
import { int8, key, timestamp } from './columns.ts'

/** A transaction that the relay prepared. A restarted process continues from this row. */
export const PreparedTransaction = defineEntity({
  name: 'PreparedTransaction',
  tableName: 'prepared_transactions',
  properties: {
    id: key().primary(),
    status: p.text().$type<TransactionStatus>(),
    /** The prepared message, base64. */
    message: p.text(),
    /** `matchKey` of the message. Null if the service pays: then no wallet can send it itself. */
    matchKey: key().strictNullable(),
    lastValidBlockHeight: int8(),
    /** The slot of the blockhash. The transaction cannot land before it. */
    blockhashSlot: int8(),
    /**
     * Base64, with all signatures. Written before the transaction is sent. Replaced only if the
     * ledger has another version of it that the wallet sent.
     */
    signedTx: p.text().strictNullable(),
    /** Base-58. */
    signature: key().strictNullable(),
    sentAt: timestamp().strictNullable(),
    /** Whether a node has accepted it. */
    accepted: p.boolean().default(false),
    /** The slot at which it landed, as the ledger reports now. */
    slot: int8().strictNullable(),
    /** Whether the ledger has ever shown it. */
    landed: p.boolean().default(false),
    /** Consecutive polls and searches that did not find it after it had landed or expired. */
    misses: p.integer().default(0),
    error: p.json<TransactionFailure>().strictNullable(),
    sponsored: p.boolean().default(false),
    /** The code that a sponsored registration was prepared with. Null for other transactions. */
    inviteCodeHash: key().strictNullable(),
    /** Who prepared a sponsored registration. Null for other transactions and when it is signed. */
    clientNetwork: key().strictNullable(),
    /** The owner of a sponsored registration. Null for other transactions. */
    wallet: key().strictNullable(),
    /** The status is final. */
    settled: p.boolean().default(false),
    /** Grows with each write. A writer that read an older version writes nothing. */
    version: p.integer().version().default(1),
    /** The time of the next poll. Also in the future while a worker polls. */
    nextCheckAt: timestamp(),
    createdAt: timestamp(),
  },
})
