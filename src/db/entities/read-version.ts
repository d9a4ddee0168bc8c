import { defineEntity, p } from '@mikro-orm/core'
import { key } from './columns.ts'
import type { ReadTables } from '../../domain/read-versions.ts'

const ReadVersionSchema = defineEntity({
  name: 'ReadVersion',
  tableName: 'read_versions',
  properties: {
    tables: key().$type<ReadTables>().primary(),
    place: p.bigint('number').primary(),
    changedBy: p.bigint('number'),
  },
})

/** What last changed a group of tables, kept by triggers. */
export class ReadVersion extends ReadVersionSchema.class {}

ReadVersionSchema.setClass(ReadVersion)
