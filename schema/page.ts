import type { ObjectFieldBuilder, SchemaTypes } from '@pothos/core'
import { ORDERS, type Page, PAGE_LIMIT, PAGE_OFFSET } from '../src/domain/page.ts'
import { builder } from './builder.ts'
import { enumValues } from './enum-values.ts'

export const SortOrder = builder.enumType('SortOrder', {
  description: 'Direction of an order.',
  values: enumValues(ORDERS, { asc: 'The smallest first.', desc: 'The largest first.' }),
})

type Types = typeof builder extends PothosSchemaTypes.SchemaBuilder<infer T extends SchemaTypes> ? T : never
type PageFields<Row> = ObjectFieldBuilder<Types, Page<Row>>

/** The fields that every page has beside its rows. */
export function pageFields<Row>(t: PageFields<Row>) {
  return {
    total: t.exposeInt('total', { description: 'How many match in all, exactly.' }),
    limit: t.exposeInt('limit', { description: 'Largest number of entries on this page.' }),
    offset: t.exposeInt('offset', { description: 'How many entries were skipped.' }),
  }
}

/** `limit` and `offset`; the services check their bounds. */
export const pageArgs = () =>
  builder.args((t) => ({
    limit: t.int({
      defaultValue: PAGE_LIMIT.default,
      description: `Entries on a page: ${PAGE_LIMIT.min} to ${PAGE_LIMIT.max}.`,
    }),
    offset: t.int({
      defaultValue: PAGE_OFFSET.default,
      description: 'Entries to skip: 0 or more.',
    }),
  }))
