import { p } from '@mikro-orm/core'

/** Base-58 keys, hashes, ids and other machine-made text: compared byte by byte. */
export const key = () => p.text().collation('C')

/** An on-chain u64 as decimal text, since bigint ends at 2^63. */
export const u64 = () => p.text().columnType('numeric(20,0)')

/** bigint as a JavaScript number: slots, lamports and counts stay below 2^53. */
export const int8 = () => p.bigint('number')

/** A 64-bit transaction id as decimal text. */
export const transactionId = () => p.text().columnType('xid8')

/** The number that PostgreSQL gives each new row. */
export const identity = () => int8().columnType('bigint').generated('identity').autoincrement().primary()

/** ISO 8601 text in UTC with milliseconds. The ORM would read a timestamptz as a Date otherwise. */
export const timestamp = () => p.text().columnType('timestamptz').runtimeType('string')

/** Set by PostgreSQL to the start of the transaction unless a value is given. */
export const timestampNow = () => timestamp().defaultRaw('now()')
