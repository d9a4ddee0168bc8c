import { defineEntity, p } from '@mikro-orm/core'
import type { Finality } from '../database.ts'
import { key } from './columns.ts'

const LedgerTransactionSchema = defineEntity({
  name: 'LedgerTransaction',
  tableName: 'ledger_transactions',
  properties: {
    signature: key().primary(),
    slot: p.bigint('number'),
    transactionIndex: p.integer(),
    accounts: p.array().columnType('text[]').collation('C'),
    finality: p.text().$type<Finality>().default('confirmed'),
  },
  indexes: [
    {
      name: 'ledger_transactions_unfinalized',
      expression:
        "create index ledger_transactions_unfinalized on ledger_transactions (slot) where finality = 'confirmed'",
    },
  ],
})

/** A transaction that called the registry program. */
export class LedgerTransaction extends LedgerTransactionSchema.class {}

LedgerTransactionSchema.setClass(LedgerTransaction)
