import { p } from '@mikro-orm/core'

/** A base-58 key, a hash or another machine-made text: compared byte by byte. */
export const key = () => p.text().collation('C')

/** An on-chain u64. */
export const u64 = () => p.bigint().columnType('numeric(20,0)')

/** On-chain u64 values as decimal text. */
export const u64Array = () => p.array().columnType('numeric(20,0)[]').ignoreSchemaChanges('type')

/** ISO 8601 text in UTC with milliseconds. Unless told so, the ORM would read the column as a Date. */
export const timestamp = () => p.text().columnType('timestamptz').runtimeType('string')
